"""The four checks of ``names``, and the one that what it is given stays; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from practice import names  # noqa: E402


def preserved():
    given = ["  Ada  Lovelace", "", "ada lovelace", "Grace Hopper "]
    copy = list(given)
    result = names(given)
    return given == copy and result is not given and names(tuple(given)) == result


CHECKS = {
    "spaces": lambda: names(["  Ada \t Lovelace ", "Grace Hopper"]) == ["Ada Lovelace", "Grace Hopper"],
    "empty": lambda: names(["", "Ada", "   ", "Grace"]) == ["Ada", "Grace"] and names([]) == [],
    "doubles": lambda: names(["Ada", "ADA", " ada", "Grace"]) == ["Ada", "Grace"],
    "order": lambda: names(["Zuse", "Ada", "Grace", "Babbage"]) == ["Zuse", "Ada", "Grace", "Babbage"],
    "preserved": preserved,
}
sys.exit(not CHECKS[sys.argv[1]]())
