"""What the agent sees."""

import unittest

from last_item import last_item


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(last_item("abcd"), "d")
