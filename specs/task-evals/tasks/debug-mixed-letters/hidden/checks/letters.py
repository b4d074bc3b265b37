"""Letters of a day: each says what is for its own patient, and nothing of another."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

from clinic import batch
from clinic.batch import letters_of_day
from clinic.letters import Letter

ADA = {"patient": "Ada", "time": "9:00", "doctor": "Dr. Frost", "fasting": True}
BOB = {"patient": "Bob", "time": "9:30", "doctor": "Dr. Hill"}
CARD, EMPTY = "Please bring your insurance card.", "Please come with an empty stomach."


def text(patient, *lines, doctor=None):
    signed = [doctor] if doctor else []
    return "\n".join([f"Dear {patient},", *lines, "Kind regards", *signed, "Your clinic"])


class Letters(unittest.TestCase):
    def test_a_day(self):
        for _ in range(2):  # and the day after
            first, second = letters_of_day([ADA, BOB])
            self.assertEqual(first.text(), text("Ada", "we expect you at 9:00.", CARD, EMPTY, doctor="Dr. Frost"))
            self.assertEqual(second.text(), text("Bob", "we expect you at 9:30.", CARD, doctor="Dr. Hill"))

    def test_letters_share_nothing(self):
        one, other = Letter("Ada").add("a").sign("Dr. Frost"), Letter("Bob")
        self.assertEqual(other.text(), text("Bob"))
        self.assertEqual(one.text(), text("Ada", "a", doctor="Dr. Frost"))

    def test_what_is_handed_in_stays_as_it_was(self):
        lines, footer, settings = ["one"], ["Bye", "Us"], {"reminders": ["Wear a mask."]}
        Letter("Ada", lines, footer).add("two").sign("Dr. Frost")
        letters_of_day([ADA], settings)
        self.assertEqual((lines, footer, settings), (["one"], ["Bye", "Us"], {"reminders": ["Wear a mask."]}))

    def test_own_settings_count(self):
        (letter,) = letters_of_day([BOB], {"reminders": []})
        self.assertEqual(letter.text(), text("Bob", "we expect you at 9:30.", doctor="Dr. Hill"))

    def test_the_defaults_are_as_they_were(self):
        letters_of_day([ADA])
        self.assertEqual([str(each) for each in batch.DEFAULTS["reminders"]], [CARD])


if __name__ == "__main__":
    unittest.main()
