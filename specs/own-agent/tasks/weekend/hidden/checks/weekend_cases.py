"""What no agent sees."""

import unittest

from weekend import weekend


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(weekend("sat"), True)
        self.assertEqual(weekend("mon"), False)
        self.assertEqual(weekend("sun"), True)
        self.assertEqual(weekend("fri"), False)
