"""What no agent sees."""

import unittest

from between import between


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(between(5, 1, 9), True)
        self.assertEqual(between(1, 1, 9), False)
        self.assertEqual(between(9, 1, 9), False)
        self.assertEqual(between(0, 1, 9), False)
