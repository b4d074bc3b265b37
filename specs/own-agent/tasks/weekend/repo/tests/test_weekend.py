"""What the agent sees."""

import unittest

from weekend import weekend


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(weekend("sat"), True)
        self.assertEqual(weekend("mon"), False)
