"""What no agent sees."""

import unittest

from pages import pages


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(pages(11), 2)
        self.assertEqual(pages(10), 1)
        self.assertEqual(pages(0), 0)
        self.assertEqual(pages(1), 1)
        self.assertEqual(pages(21), 3)
