"""The checks of this task; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

CHECKS = {
    "default": {"[length([]), length([1]), length([1, 9, 4])]": [0, 6, 22]},
    "custom": {"[length([1, 9], pace=8), length([1, 9, 4], pace=2)]": [13, 25]},
    "gap": {"[gap(1, 9), gap(9, 1, pace=8), gap(1, 10, 8)]": [2, 1, 2]},
}
sys.exit(not asked("from stops import gap; from tour import length", CHECKS[sys.argv[1]]))
