"""What no agent sees."""

import unittest

from discount import discount


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(discount(100), 90)
        self.assertEqual(discount(99), 99)
        self.assertEqual(discount(150), 140)
