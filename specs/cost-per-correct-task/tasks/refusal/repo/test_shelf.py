"""Tests of the shelf; every run of them leaves a line in runs.log."""

import unittest
from pathlib import Path

import shelf

with Path(__file__).with_name("runs.log").open("a") as log:
    log.write("a run\n")


class Tests(unittest.TestCase):
    def test_what_is_put_is_there(self):
        here = {}
        shelf.put(here, "lamp", 2)
        self.assertEqual(here, {"lamp": 2})

    def test_what_is_taken_is_gone(self):
        here = {"lamp": 2}
        shelf.take(here, "lamp")
        self.assertEqual(here, {"lamp": 1})

    def test_what_is_not_there_cannot_be_taken(self):
        with self.assertRaises(ValueError):
            shelf.take({}, "lamp")


if __name__ == "__main__":
    unittest.main()
