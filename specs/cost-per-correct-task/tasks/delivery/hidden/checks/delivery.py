"""The four checks of ``delivery``; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

CHECKS = {
    "below": {"delivery(0)": 490, "delivery(4999)": 490},
    "boundary": {"delivery(5000)": 0},
    "above": {"delivery(5001)": 0, "delivery(99999)": 0},
    "express": {"delivery(1200, express=True)": 1390, "delivery(5000, True)": 900, "delivery(9000, express=True)": 900},
}
sys.exit(not asked("from practice import delivery", CHECKS[sys.argv[1]]))
