"""The checks of this task; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from parcels import label  # noqa: E402

CHECKS = {
    "capitals": lambda: label("Ada", "Main Street 1", "Turin") == ["Ada", "Main Street 1", "TURIN"],
    "spaces": lambda: label("  Ada ", "Main Street 1  ", " Turin") == ["Ada", "Main Street 1", "TURIN"],
    "empty": lambda: label("", "  ", "Turin") == ["TURIN"],
    "words": lambda: label("Ada of the very long and winding name", "x" * 40, "Turin") == ["Ada of the very long and", "x" * 30, "TURIN"],
    "exact": lambda: label("a" * 14 + " " + "b" * 15, "Main", "T") == ["a" * 14 + " " + "b" * 15, "Main", "T"],
}
sys.exit(not CHECKS[sys.argv[1]]())
