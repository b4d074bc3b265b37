"""Tests of durations."""

import unittest

from timer.duration import parse_duration


class DurationTest(unittest.TestCase):
    def test_hours_and_minutes(self):
        self.assertEqual(parse_duration("1h 30m"), 5400)

    def test_nonsense(self):
        with self.assertRaises(ValueError):
            parse_duration("soon")
