"""Tests of orders."""

import unittest

from orders.cart import Cart
from orders.invoice import invoice_lines
from orders.quote import quote


class OrdersTest(unittest.TestCase):
    def test_cart(self):
        self.assertEqual(Cart([("lamp", 20, 2)]).summary(), {"goods": 20, "shipping": 4.9, "sum": 24.9})

    def test_invoice(self):
        self.assertEqual(invoice_lines({"number": 1, "goods": [("desk", 80, 30)]}), ["desk: 80.00", "Total: 80.00"])

    def test_quote(self):
        self.assertEqual(quote(40, 7), 45.5)
