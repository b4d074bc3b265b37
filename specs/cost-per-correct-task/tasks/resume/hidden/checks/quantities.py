"""The checks of ``quantities`` as it was asked for in the end; the one that is named runs."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from practice import quantities  # noqa: E402


def refuses(text):
    try:
        quantities(text)
    except ValueError:
        return True
    return False


def changes():
    lines = Path("CHANGES.md").read_text("utf-8").splitlines() if Path("CHANGES.md").is_file() else []
    return sum("quantities" in line for line in lines) == 1


CHECKS = {
    # the latest: semicolons and no commas any more
    "separator": lambda: quantities("3 apples; 2 pears") == {"apples": 3, "pears": 2},
    "commas": lambda: refuses("3 apples, 2 pears"),
    # the second: capitals
    "capitals": lambda: quantities("3 Apples; 4 apples") == {"apples": 7},
    # the first: what is refused, and the line that was asked for once all is done
    "refused": lambda: all(map(refuses, ("apples", "0 apples", "3", "1 pear; apples"))) and quantities("; 1 pear ;") == {"pear": 1},
    "changes": changes,
}
sys.exit(not CHECKS[sys.argv[1]]())
