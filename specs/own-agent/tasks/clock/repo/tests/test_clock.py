"""What the agent sees."""

import unittest

from clock import minutes


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(minutes(2, 5), 125)
