"""One shipping fee for cart, invoice and quote."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

import importlib

from orders import shipping
from orders.cart import Cart
from orders.invoice import invoice_lines
from orders.quote import quote


class Shipping(unittest.TestCase):
    def test_the_rule(self):
        for total, weight, fee in ((0, 0, 4.9), (49.99, 5, 4.9), (49.99, 6, 5.2), (10, 7.5, 5.65), (50, 99, 0), (80, 1, 0)):
            self.assertAlmostEqual(shipping.shipping_fee(total, weight), fee, places=9, msg=f"{total}, {weight}")

    def test_customers_see_what_they_saw(self):
        self.assertEqual(Cart().summary(), {"goods": 0, "shipping": 4.9, "sum": 4.9})
        self.assertEqual(Cart([("a", 30, 4), ("b", 10, 3)]).summary(), {"goods": 40, "shipping": 5.5, "sum": 45.5})
        self.assertEqual(Cart([("a", 50, 40)]).summary(), {"goods": 50, "shipping": 0, "sum": 50})
        order = {"number": 7, "goods": [("a", 30, 4), ("b", 10, 3)]}
        self.assertEqual(invoice_lines(order), ["a: 30.00", "b: 10.00", "Shipping: 5.50", "Total: 45.50"])
        self.assertEqual(invoice_lines({"number": 8, "goods": [("a", 50, 40)]}), ["a: 50.00", "Total: 50.00"])
        self.assertEqual([quote(40, 7), quote(50, 7), quote(54, 1, 0.1), quote(60, 9, 0.1)], [45.5, 50, 53.5, 54])

    def test_everybody_asks_the_one_function(self):
        before = shipping.shipping_fee
        shipping.shipping_fee = lambda total, weight: 1000.0
        try:
            from orders import cart, invoice, quote

            for module in (cart, invoice, quote):
                importlib.reload(module)
            self.assertEqual(cart.Cart([("a", 10, 1)]).summary()["shipping"], 1000)
            self.assertIn("Total: 1010.00", invoice.invoice_lines({"number": 1, "goods": [("a", 10, 1)]}))
            self.assertEqual(quote.quote(10, 1), 1010)
        finally:
            shipping.shipping_fee = before


if __name__ == "__main__":
    unittest.main()
