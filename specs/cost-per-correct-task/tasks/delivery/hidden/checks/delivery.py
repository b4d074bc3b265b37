"""The four checks of ``delivery``; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from practice import delivery  # noqa: E402

CHECKS = {
    "below": lambda: (delivery(0), delivery(4999)) == (490, 490),
    "boundary": lambda: delivery(5000) == 0,
    "above": lambda: (delivery(5001), delivery(99999)) == (0, 0),
    "express": lambda: (delivery(1200, express=True), delivery(5000, True), delivery(9000, express=True)) == (1390, 900, 900),
}
sys.exit(not CHECKS[sys.argv[1]]())
