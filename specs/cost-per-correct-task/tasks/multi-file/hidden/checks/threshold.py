"""The checks of the threshold; the one that is named runs."""

import inspect
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from shop.checkout import total  # noqa: E402
from shop.rates import delivery  # noqa: E402


def default():
    ends = (delivery(4999), delivery(5000), total([(4999, 1)]), total([(2500, 2)]))
    unset = (total([(2500, 2)], settings={}), total([(4999, 1)], 0, {"name": "a shop"}), total([(100, 1)], 2001))
    return ends == (490, 0, 5489, 5000) and unset == (5000, 5489, 940)


def rates():
    ends = (delivery(2999, free_from=3000), delivery(3000, free_from=3000), delivery(5000, free_from=8000))
    return ends == (490, 0, 490) and delivery(0, free_from=0) == 0 and len(inspect.signature(delivery).parameters) == 2


def caller():
    low, high = {"free_from": 3000}, {"free_from": 8000}
    ends = (total([(2999, 1)], settings=low), total([(3000, 1)], settings=low), total([(6000, 1)], settings=high))
    return ends == (3489, 3000, 6490) and total([(100, 1)], 2001, {"free_from": 0}) == 450 and low == {"free_from": 3000}


CHECKS = {"default": default, "rates": rates, "caller": caller}
sys.exit(not CHECKS[sys.argv[1]]())
