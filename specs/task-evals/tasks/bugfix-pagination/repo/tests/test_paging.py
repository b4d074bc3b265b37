"""Tests of paging."""

import unittest

from catalogue.paging import page_links


class LinksTest(unittest.TestCase):
    def test_in_the_middle(self):
        self.assertEqual(page_links(5, 9), [3, 4, 5, 6, 7])

    def test_at_the_end(self):
        self.assertEqual(page_links(9, 9), [5, 6, 7, 8, 9])
