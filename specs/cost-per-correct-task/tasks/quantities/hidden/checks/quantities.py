"""The four checks of ``quantities``; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from practice import quantities  # noqa: E402


def refuses(text):
    try:
        quantities(text)
    except ValueError:
        return True
    return False


CHECKS = {
    "several": lambda: quantities("3 apples, 2 pears") == {"apples": 3, "pears": 2},
    "twice": lambda: quantities("3 apples, 2 pears, 4 apples") == {"apples": 7, "pears": 2},
    "spaces": lambda: quantities("  12   red apples ,, 1 pear,") == {"red apples": 12, "pear": 1} and quantities("") == {},
    "refused": lambda: all(map(refuses, ("apples", "0 apples", "-1 apples", "3", "two pears", "1 pear, apples"))),
}
sys.exit(not CHECKS[sys.argv[1]]())
