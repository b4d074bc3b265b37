"""The checks of this task; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

CHECKS = {
    "capitals": {"label('Ada', 'Main Street 1', 'Turin')": ["Ada", "Main Street 1", "TURIN"]},
    "spaces": {"label('  Ada ', 'Main Street 1  ', ' Turin')": ["Ada", "Main Street 1", "TURIN"]},
    "empty": {"label('', '  ', 'Turin')": ["TURIN"]},
    "words": {
        "label('Ada of the very long and winding name', 'x' * 40, 'Turin')": [
            "Ada of the very long and",
            "x" * 30,
            "TURIN",
        ]
    },
    "exact": {"label('a' * 14 + ' ' + 'b' * 15, 'Main', 'T')": ["a" * 14 + " " + "b" * 15, "Main", "T"]},
}
sys.exit(not asked("from parcels import label", CHECKS[sys.argv[1]]))
