"""The checks of ``quantities`` as it was asked for in the end; the one that is named runs."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

REFUSED = ("apples", "0 apples", "3", "1 pear; apples")
CHECKS = {
    # the latest: semicolons and no commas any more
    "separator": {"quantities('3 apples; 2 pears')": {"apples": 3, "pears": 2}},
    "commas": {"quantities('3 apples, 2 pears')": ValueError},
    # the second: capitals
    "capitals": {"quantities('3 Apples; 4 apples')": {"apples": 7}},
    # the first: what is refused
    "refused": {**{f"quantities({text!r})": ValueError for text in REFUSED}, "quantities('; 1 pear ;')": {"pear": 1}},
}


def changes():
    """The one line, once all is done; a title may stand above it."""
    lines = Path("CHANGES.md").read_text("utf-8").splitlines() if Path("CHANGES.md").is_file() else []
    said = [line for line in lines if line.strip() and not line.startswith("#")]
    return len(said) == 1 and "quantities" in said[0]


named = sys.argv[1]
sys.exit(not (changes() if named == "changes" else asked("from practice import quantities", CHECKS[named])))
