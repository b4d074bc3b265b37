"""Examples of the shop, one a function."""

import unittest

import practice


class Examples(unittest.TestCase):
    def test_a_small_order_pays_for_sending(self):
        self.assertEqual(practice.delivery(1200), 490)

    def test_a_name_is_printed_as_it_is(self):
        self.assertEqual(practice.names(["Ada Lovelace"]), ["Ada Lovelace"])


if __name__ == "__main__":
    unittest.main()
