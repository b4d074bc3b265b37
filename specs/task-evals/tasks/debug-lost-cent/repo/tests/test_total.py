"""Tests of invoice totals."""

import unittest

from invoices.total import invoice_total


class TotalTest(unittest.TestCase):
    def test_one_line(self):
        self.assertEqual(invoice_total([{"price": "10.00", "count": 1, "rate": "7"}]), "10.70")
