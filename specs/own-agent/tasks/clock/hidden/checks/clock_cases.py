"""What no agent sees."""

import unittest

from clock import minutes


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(minutes(2, 5), 125)
        self.assertEqual(minutes(0, 7), 7)
        self.assertEqual(minutes(10, 0), 600)
