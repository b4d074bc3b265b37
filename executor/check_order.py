"""In which order the checks of one tree are judged: each behind the one that its option ``needs`` names."""

from collections.abc import Mapping

from compiler.plan import Chosen


def in_order(checks: Mapping[str, Chosen]) -> tuple[tuple[str, Chosen], ...]:
    """Give checks as they stand, those that need another behind it; checks in a circle (which compiling refuses) come last."""
    left, done = dict(checks), dict[str, Chosen]()
    while left:
        ready = [name for name, check in left.items() if check.options.get("needs") not in left] or list(left)
        done |= {name: left.pop(name) for name in ready}
    return tuple(done.items())
