"""What no agent sees."""

import unittest

from last_item import last_item


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(last_item("abcd"), "d")
        self.assertEqual(last_item("xy"), "y")
        self.assertEqual(last_item([7]), 7)
