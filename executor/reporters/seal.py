"""Notices when code under test has put something else in place of what runs its tests and judges them.

Tests import the code that they test, so both live in one process and nothing there can be out of reach. But what such code usually
tries, an assertion that never fails or a runner that reports success, replaces a function of the framework; and that can be seen.
Needs nothing but the standard library of Python 3.8 or later.
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FRAMEWORK = (
    "unittest.case",
    "unittest.async_case",
    "unittest.loader",
    "unittest.result",
    "unittest.suite",
    "_pytest.assertion.rewrite",
    "_pytest.outcomes",
    "_pytest.python",
    "_pytest.python_api",
    "_pytest.raises",
    "_pytest.reports",
    "_pytest.runner",
    "pluggy._callers",
    "pluggy._hooks",
    "pluggy._manager",
    "pluggy._result",
)
"""Modules whose functions decide what becomes of a test. What only they import is left alone: projects rightly replace clocks."""


class Seal:
    """What the framework was before any code under test ran. New names may come; none that was there may become another."""

    def __init__(self, own: Mapping[str, Any]) -> None:
        """Remember the framework as far as it is loaded, and what ``own`` (the reporter's module) defines."""
        self._seen: list[tuple[Any, str, Any, Any]] = []
        loaded = [vars(sys.modules[name]) for name in FRAMEWORK if name in sys.modules]
        for names in (own, *loaded):
            for name, value in list(names.items()):
                if getattr(value, "__module__", None) == names["__name__"]:
                    self._seen.extend(_parts(names, name, value))

    def broken(self) -> str | None:
        """Name the first function that is no longer what it was, or None."""
        for holder, name, value, code in self._seen:
            now = (holder if isinstance(holder, dict) else vars(holder)).get(name)
            if now is not value or _code(now) is not code:
                return f"{getattr(holder, '__qualname__', '')}.{name}".lstrip(".")
        return None


def _parts(names: Any, name: str, value: Any) -> Iterator[tuple[Any, str, Any, Any]]:
    if isinstance(value, types.FunctionType):
        yield names, name, value, _code(value)
    elif isinstance(value, type):
        yield names, name, value, None
        for inner, part in list(vars(value).items()):
            if isinstance(part, (types.FunctionType, staticmethod, classmethod, property)):
                yield value, inner, part, _code(part)


def _code(value: Any) -> Any:
    return getattr(getattr(value, "__func__", value), "__code__", None)
