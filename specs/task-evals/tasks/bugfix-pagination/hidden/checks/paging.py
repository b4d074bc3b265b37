"""Pages of a catalogue: how many there are, what stands on each, and where its links lead."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

from catalogue.paging import page_count, page_links, page_of

ITEMS = list(range(1, 26))


class Paging(unittest.TestCase):
    def test_first_page_starts_with_the_first_item(self):
        self.assertEqual(list(page_of(ITEMS, 1)), list(range(1, 11)))

    def test_pages_follow_each_other(self):
        seen = [item for page in range(1, page_count(25) + 1) for item in page_of(ITEMS, page)]
        self.assertEqual(seen, ITEMS)

    def test_other_sizes(self):
        self.assertEqual(list(page_of(ITEMS, 3, 7)), list(range(15, 22)))
        self.assertEqual(list(page_of(ITEMS, 4, 7)), [22, 23, 24, 25])

    def test_behind_the_end(self):
        self.assertEqual(list(page_of(ITEMS, 4)), [])

    def test_counts(self):
        self.assertEqual([page_count(n) for n in (1, 9, 10, 11, 19, 20, 21)], [1, 1, 1, 2, 2, 2, 3])

    def test_an_empty_catalogue_has_one_page(self):
        self.assertEqual(page_count(0), 1)

    def test_bad_arguments(self):
        for page, size in ((0, 10), (1, 0)):
            with self.assertRaises(ValueError):
                page_of(ITEMS, page, size)

    def test_links_are_as_before(self):
        self.assertEqual(page_links(1, 3), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
