"""A first look at the parcel desk."""

import unittest

from parcels import label


class Label(unittest.TestCase):
    def test_a_short_label_has_three_lines(self):
        self.assertEqual(len(label("Ada", "Main Street 1", "Turin")), 3)


if __name__ == "__main__":
    unittest.main()
