"""The lines that stockroom writes are the same as before the migration, and the old module is gone from its surface."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from stockroom import Stock, orders, pricing, reports, sink  # noqa: E402


def lines() -> list[tuple[str, str, dict[str, object]]]:
    written = [(line.level, line.topic, line.fields) for line in sink.LINES]
    sink.LINES.clear()
    return written


class BehaviourTest(unittest.TestCase):
    def setUp(self) -> None:
        sink.LINES.clear()
        self.stock = Stock()
        self.stock.receive({"screw": 10, "nail": 3})
        lines()

    def test_a_delivery(self) -> None:
        self.stock.receive({"b": 2, "a": 1, "c": 0})
        self.assertEqual(
            lines(),
            [
                ("info", "received", {"article": "a", "count": 1}),
                ("info", "received", {"article": "b", "count": 2}),
                ("warn", "odd-delivery", {"article": "c", "count": 0}),
            ],
        )

    def test_what_is_short_and_what_is_low(self) -> None:
        self.assertFalse(self.stock.ship("nail", 4))
        self.assertTrue(self.stock.ship("screw", 6))
        self.assertEqual(
            lines(),
            [
                ("warn", "short", {"article": "nail", "missing": 1}),
                ("warn", "low", {"article": "screw", "left": 4}),
            ],
        )

    def test_prices(self) -> None:
        self.stock.set_price("nail", 5)
        self.stock.set_price("nail", 5)
        self.stock.set_price("nail", 7)
        self.assertEqual(pricing.discounted(100, 120), 100)
        self.assertEqual(pricing.best({"b": 3, "a": 3}), "a")
        self.assertEqual(
            lines(),
            [
                ("info", "price", {"article": "nail", "before": 5, "now": 7}),
                ("warn", "odd-discount", {"percent": 120}),
                ("info", "offer", {"offer": "a", "cents": 3}),
                ("info", "offer", {"offer": "b", "cents": 3}),
            ],
        )

    def test_orders(self) -> None:
        self.assertEqual(orders.accept(self.stock, [("nail", 4)]), ["nail"])
        self.assertEqual(orders.cancel(7), "order 7 is cancelled")
        self.assertEqual(
            lines(),
            [
                ("warn", "short", {"article": "nail", "missing": 1}),
                ("info", "backorder", {"article": "nail", "count": 4}),
                ("info", "orders", {"call": "accept"}),
                ("warn", "orders", {"call": "cancel"}),
            ],
        )

    def test_reports(self) -> None:
        self.stock.set_price("screw", 2)
        self.assertEqual((reports.total(self.stock), reports.value(self.stock)), (13, 20))
        found = lines()
        self.assertEqual(found[0], ("info", "total", {"count": 13}))
        self.assertEqual((found[1][:2], found[1][2]["article"]), (("warn", "no-price"), "nail"))
        self.assertEqual(found[2], ("info", "value", {"cents": 20}))


if __name__ == "__main__":
    unittest.main()
