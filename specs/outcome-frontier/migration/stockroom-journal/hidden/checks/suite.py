"""What the shelves do, whatever is written about it."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from stockroom import Stock  # noqa: E402


class StockTest(unittest.TestCase):
    def test_what_came_in_can_go_out(self) -> None:
        stock = Stock()
        stock.receive({"screw": 10})
        self.assertTrue(stock.ship("screw", 4))
        self.assertFalse(stock.ship("screw", 7))
        self.assertEqual(stock.counts, {"screw": 6})


if __name__ == "__main__":
    unittest.main()
