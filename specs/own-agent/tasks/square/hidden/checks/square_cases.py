"""What no agent sees."""

import unittest

from square import square


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(square(9), True)
        self.assertEqual(square(8), False)
        self.assertEqual(square(4), True)
        self.assertEqual(square(16), True)
