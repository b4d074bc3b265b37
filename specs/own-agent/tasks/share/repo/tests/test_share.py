"""What the agent sees."""

import unittest

from share import share


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(share(8, 8), 100)
