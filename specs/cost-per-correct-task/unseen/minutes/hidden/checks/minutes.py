"""The checks of this task; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402


def refused(*texts):
    """Each of the texts is refused."""
    return {f"minutes({text!r})": ValueError for text in texts}


CHECKS = {
    "both": {"minutes('1h 20m')": 80, "minutes(' 2h5m ')": 125},
    "one": {"minutes('45m')": 45, "minutes('90m')": 90, "minutes('2h')": 120, "minutes('0m')": 0},
    "order": refused("20m 1h", "1h 60m", "1h 20"),
    "nothing": refused("", "  ", "soon", "-5m", "1.5h"),
}
sys.exit(not asked("from parcels import minutes", CHECKS[sys.argv[1]]))
