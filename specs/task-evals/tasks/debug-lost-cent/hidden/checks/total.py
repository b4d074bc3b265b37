"""Totals of invoices, exact to the cent."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

from fractions import Fraction

from invoices.show import show
from invoices.total import invoice_total


def cents(price, count, rate):
    """The tax of a line in cents, in exact fractions: rounded half up."""
    exact = Fraction(price) * count * Fraction(rate)
    return int(exact + Fraction(1, 2))


def line(price, count=1, rate="7"):
    return {"price": price, "count": count, "rate": rate}


class Total(unittest.TestCase):
    def test_the_invoice_of_the_accountant(self):
        self.assertEqual(show([line("0.50")]), ["1 x 0.50 + 0.04 tax", "total 0.54"])

    def test_every_price_and_many_rates(self):
        for rate in ("7", "8.1", "19", "2.5", "0"):
            for amount in range(1, 2000, 7):
                price = f"{amount // 100}.{amount % 100:02d}"
                for count in (1, 3):
                    tax = cents(price, count, rate)
                    wanted = f"{count} x {price} + {tax // 100}.{tax % 100:02d} tax"
                    self.assertEqual(show([line(price, count, rate)])[0], wanted, f"{price} x {count} at {rate} %")

    def test_tax_is_rounded_for_each_line(self):
        self.assertEqual(invoice_total([line("0.50"), line("0.50"), line("0.50")]), "1.62")

    def test_long_and_large_invoices_keep_every_cent(self):
        self.assertEqual(invoice_total([line("0.10", 1, "0")] * 100_000), "10000.00")
        self.assertEqual(invoice_total([line("90071992547409.93", 100, "0")]), "9007199254740993.00")

    def test_no_lines(self):
        self.assertEqual(invoice_total([]), "0.00")


if __name__ == "__main__":
    unittest.main()
