"""What no agent sees."""

import unittest

from initials import initials


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(initials("Ada Lovelace"), "AL")
        self.assertEqual(initials("Grace Brewster Hopper"), "GBH")
        self.assertEqual(initials("x"), "x")
