"""The checks of this task; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

CHECKS = {
    "weight": {"[billed(1, 1, 1, 1), billed(100, 1, 1, 1), billed(101, 1, 1, 1)]": [100, 100, 200]},
    "volume": {"[billed(10, 20, 10, 10), billed(10, 20, 10, 11)]": [400, 500]},
    "larger": {"[billed(950, 10, 10, 10), billed(120, 30, 20, 10)]": [1000, 1200]},
    "nothing": {"billed(0, 0, 0, 0)": 100},
}
sys.exit(not asked("from parcels import billed", CHECKS[sys.argv[1]]))
