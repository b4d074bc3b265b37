"""What no agent sees."""

import unittest

from share import share


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(share(8, 8), 100)
        self.assertEqual(share(1, 4), 25)
        self.assertEqual(share(0, 3), 0)
