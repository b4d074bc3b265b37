"""Writes the large fixtures of the tasks from a seed: the almanac, the test log, and the depots. The same bytes everywhere.

``python generate.py`` writes them, ``python generate.py --check`` says what differs from ``fixtures.sha256`` (which ``sha256sum -c`` reads
too). All text is put together from the words below; none of it is anybody's.
"""

import hashlib
import json
import sys
from pathlib import Path

SEED = "cost-per-correct-task/1"
HERE = Path(__file__).parent

HARBOURS = [
    "Ærø",
    "Brønshavn",
    "Čerin",
    "Dún",
    "Ela",
    "Fårösund",
    "Göteli",
    "Hüsum",
    "Île-Grise",
    "Jyväs",
    "Køge",
    "Ľubor",
    "Märsta",
    "Nærum",
    "Öland",
    "Pärnu",
    "Røst",
    "Søby",
    "Tórs",
    "Vårby",
]
GOODS = [
    "barley",
    "candles",
    "copper",
    "felt",
    "glass",
    "honey",
    "indigo",
    "lamps",
    "linen",
    "nutmeg",
    "paper",
    "resin",
    "salt",
    "silk",
    "tin",
    "wool",
]
SHIPS = [
    "Amaryllis",
    "Bittern",
    "Curlew",
    "Dunlin",
    "Egret",
    "Fulmar",
    "Gannet",
    "Heron",
    "Kestrel",
    "Lapwing",
    "Merlin",
    "Osprey",
    "Petrel",
    "Sanderling",
    "Teal",
]
WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
SKIES = [
    "clear skies",
    "thin cloud",
    "fog until noon",
    "rain at dusk",
    "a swell from the open sea",
    "frost on the quay",
    "haze",
    "a falling glass",
]
MARKER_LINE, LINES = 1013, 2000
MARKER = "[marker kestrel-58]"
DECOYS = {
    212: "[marker kestrel-85]",
    640: "[marker kestrel-5]",
    1391: "[marker kestrel-580]",
    1788: "[Marker Kestrel 58]",
}

TESTS = 420
FAILING = 227
CLOSED = (13, 17)
DEPOTS = 30


class Chance:
    """Choices that follow from a seed alone: SHA-256 of the seed and a counter."""

    def __init__(self, name):
        self.name, self.count = name, 0

    def below(self, end):
        """Give a whole number from 0 to below ``end``."""
        self.count += 1
        return int.from_bytes(hashlib.sha256(f"{SEED}/{self.name}/{self.count}".encode()).digest()[:8], "big") % end

    def one(self, items):
        """Give one of some items."""
        return items[self.below(len(items))]


def almanac():
    """Write 2,000 lines, no two alike; one of them, near the middle, has the marker."""
    chance, lines = Chance("almanac"), []
    for number in range(1, LINES + 1):
        ship, goods = chance.one(SHIPS), chance.one(GOODS)
        where = f"{chance.one(HARBOURS)} to {chance.one(HARBOURS)}"
        said = f"The {ship} took {20 + chance.below(900)} bales of {goods} from {where}, wind {chance.one(WINDS)}, {chance.one(SKIES)};"
        mark = MARKER if number == MARKER_LINE else DECOYS.get(number)
        lines.append(f"{said} folio {1000 + (number * 7919) % 9000}.{number % 7}" + (f" {mark}" if mark else ""))
    if len(set(lines)) != len(lines):
        raise AssertionError("two lines are alike")
    return "\n".join(lines) + "\n"


def test_log():
    """Write the log of a run that was stopped before its summary: one test fails, and others only look as if they did."""
    chance, lines = Chance("log"), ["collected 420 items", ""]
    for number in range(1, TESTS + 1):
        what = f"{chance.one(GOODS)}_{chance.one(('count', 'price', 'order', 'return', 'label'))}"
        name = f"tests/test_{chance.one(GOODS)}.py::test_{what}_{number}"
        share = f"[{number * 100 // TESTS:3d}%]"
        for _ in range(3 + chance.below(4)):
            lines.append(f"{_clock(len(lines))} {chance.one(('DEBUG', 'INFO', 'INFO', 'WARNING'))} {_noise(chance)}")
        if number == FAILING:
            lines += [f"tests/test_lamps.py::test_lamps_after_partial_return FAILED {share}", *_failure(), ""]
        elif number % 97 == 0:
            lines += [
                f"{_clock(len(lines))} ERROR assertion that is expected here: AssertionError: assert 3 == 4 (retried)"
            ]
            lines += [f"{name} PASSED {share}"]
        elif number % 61 == 0:
            lines += [f"{name} XFAIL (assert {number % 50} == {number % 50 + 1}) {share}"]
        else:
            lines += [f"{name} {'SKIPPED' if number % 53 == 0 else 'PASSED'} {share}"]
    lines += ["", "the run was stopped here by its time limit: no summary was written"]
    return "\n".join(lines) + "\n"


def _failure():
    return [
        "    def test_lamps_after_partial_return(shelf):",
        '        shelf.put("lamp", 24)',
        '        shelf.take("lamp", 7)',
        '        shelf.give_back("lamp", 2)',
        '>       assert shelf.count("lamp") == 19',
        "E       AssertionError: assert 17 == 19",
        "tests/test_lamps.py:88: AssertionError",
    ]


def _clock(number):
    return f"10:{number // 60 % 60:02d}:{number % 60:02d}.{number % 997:03d}"


def _noise(chance):
    return f"{chance.one(SHIPS).lower()}: {chance.one(GOODS)} {100 + chance.below(900)} {chance.one(('put', 'taken', 'counted', 'moved'))}"


def depots():
    """Write a note on each depot, each in other words than the one before, and give what all open ones take in a day."""
    chance, notes, total = Chance("depots"), {}, 0
    forms = (
        "In a day it takes {} kg, no more.",
        "The scales were set to {} kg a day when it was built, and nothing has changed since.",
        "Whoever brings more than {} kg on one day has to come again on the next.",
        "Its daily load is {} kg.",
    )
    for number in range(1, DEPOTS + 1):
        kilograms = 2000 + 10 * chance.below(500)
        lines = [f"# Depot {number}: {HARBOURS[number % len(HARBOURS)]}", ""]
        for part in range(24):
            lines.append(
                f"Row {part + 1} holds {chance.one(GOODS)} from {chance.one(HARBOURS)}; the {chance.one(SHIPS)} "
                f"brought {10 + chance.below(90)} bales of it, with {chance.one(SKIES)}."
            )
            if part == 9 + chance.below(3) and not any("kg" in line for line in lines):
                lines.append(forms[number % 4].format(kilograms))
        if not any("kg" in line for line in lines):
            lines.insert(14, forms[number % 4].format(kilograms))
        if number in CLOSED:
            lines.insert(16, "Since the flood nothing is taken here: the depot is closed until further notice.")
        elif number % 8 == 0:
            lines.insert(16, "It was closed for a week in spring, and has been open again ever since.")
        total += 0 if number in CLOSED else kilograms
        notes[f"depot-{number:02d}.md"] = "\n".join(lines) + "\n"
    return notes, total


def fixtures():
    """Give every generated file: path → text."""
    notes, total = depots()
    return {
        "tasks/middle-file/repo/almanac.txt": almanac(),
        "tasks/middle-log/repo/run.log": test_log(),
        **{f"tasks/long-task/repo/depots/{name}": text for name, text in notes.items()},
        "tasks/long-task/hidden/checks/expected.json": json.dumps({"capacity": total}) + "\n",
    }


def digests(files):
    """Write digests as ``sha256sum`` does."""
    return "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {path}\n" for path, text in sorted(files.items()))


def main():
    """Write the fixtures, or hold them against their digests."""
    files = fixtures()
    if "--check" in sys.argv[1:]:
        same = digests(files) == (HERE / "fixtures.sha256").read_text("utf-8")
        odd = [
            path
            for path, text in files.items()
            if not (HERE / path).is_file() or (HERE / path).read_bytes() != text.encode()
        ]
        print("\n".join([*odd, *([] if same else ["fixtures.sha256"])]) or "all as generated")
        sys.exit(bool(odd) or not same)
    for path, text in files.items():
        (HERE / path).parent.mkdir(parents=True, exist_ok=True)
        (HERE / path).write_bytes(text.encode())
    (HERE / "fixtures.sha256").write_text(digests(files), "utf-8")


if __name__ == "__main__":
    main()
