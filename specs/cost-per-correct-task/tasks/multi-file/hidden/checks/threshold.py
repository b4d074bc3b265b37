"""The checks of the threshold; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402

IMPORTS = "import inspect; from shop.checkout import total; from shop.rates import delivery"
CHECKS = {
    "default": {
        "[delivery(4999), delivery(5000), total([(4999, 1)]), total([(2500, 2)])]": [490, 0, 5489, 5000],
        "[total([(2500, 2)], settings={}), total([(4999, 1)], 0, {'name': 'a shop'})]": [5000, 5489],
        "total([(100, 1)], 2001)": 940,
    },
    "rates": {
        "[delivery(2999, free_from=3000), delivery(3000, free_from=3000), delivery(5000, free_from=8000)]": [
            490,
            0,
            490,
        ],
        "delivery(0, free_from=0)": 0,
        "len(inspect.signature(delivery).parameters)": 2,
    },
    "caller": {
        "(lambda low: [total([(2999, 1)], settings=low), total([(3000, 1)], settings=low), low])({'free_from': 3000})": [
            3489,
            3000,
            {"free_from": 3000},
        ],
        "total([(6000, 1)], settings={'free_from': 8000})": 6490,
        "total([(100, 1)], 2001, {'free_from': 0})": 450,
    },
}
sys.exit(not asked(IMPORTS, CHECKS[sys.argv[1]]))
