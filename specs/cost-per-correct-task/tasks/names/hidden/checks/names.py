"""The four checks of ``names``, and the one that what it is given stays; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

GIVEN = ["  Ada  Lovelace", "", "ada lovelace", "Grace Hopper "]
CHECKS = {
    "spaces": {r"names(['  Ada \t Lovelace ', 'Grace Hopper'])": ["Ada Lovelace", "Grace Hopper"]},
    "empty": {"names(['', 'Ada', '   ', 'Grace'])": ["Ada", "Grace"], "names([])": []},
    "doubles": {"names(['Ada', 'ADA', ' ada', 'Grace'])": ["Ada", "Grace"]},
    "order": {"names(['Zuse', 'Ada', 'Grace', 'Babbage'])": ["Zuse", "Ada", "Grace", "Babbage"]},
    "preserved": {
        f"(lambda given: [names(given) is given, given])({GIVEN})": [False, GIVEN],
        f"names({tuple(GIVEN)}) == names({GIVEN})": True,
    },
}
sys.exit(not asked("from practice import names", CHECKS[sys.argv[1]]))
