"""What the agent sees."""

import unittest

from dozens import dozens


class Cases(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(dozens(22), 1)
        self.assertEqual(dozens(24), 2)
