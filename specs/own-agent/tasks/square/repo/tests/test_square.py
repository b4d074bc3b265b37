"""What the agent sees."""

import unittest

from square import square


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(square(9), True)
