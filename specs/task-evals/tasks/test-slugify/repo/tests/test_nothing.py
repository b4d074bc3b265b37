"""A test that shows that the runner runs."""

import unittest


class NothingTest(unittest.TestCase):
    def test_the_runner_runs(self):
        self.assertTrue(True)
