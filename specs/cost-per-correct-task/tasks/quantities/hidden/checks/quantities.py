"""The four checks of ``quantities``; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

REFUSED = ("apples", "0 apples", "-1 apples", "3", "two pears", "1 pear, apples")
CHECKS = {
    "several": {"quantities('3 apples, 2 pears')": {"apples": 3, "pears": 2}},
    "twice": {"quantities('3 apples, 2 pears, 4 apples')": {"apples": 7, "pears": 2}},
    "spaces": {"quantities('  12   red apples ,, 1 pear,')": {"red apples": 12, "pear": 1}, "quantities('')": {}},
    "refused": {f"quantities({text!r})": ValueError for text in REFUSED},
}
sys.exit(not asked("from practice import quantities", CHECKS[sys.argv[1]]))
