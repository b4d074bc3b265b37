"""The old way to write a line. Deprecated: use stockroom.journal."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from stockroom import sink

P = ParamSpec("P")
R = TypeVar("R")


def emit(payload: dict[str, object], topic: str, level: str = "info") -> None:
    """Write a line about a topic. Levels are "info" and "warn"."""
    sink.write(level, topic, payload)


def emits(topic: str, level: str = "info") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Write a line with the function's name whenever it has been called."""

    def around(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def inner(*args: P.args, **kwargs: P.kwargs) -> R:
            result = function(*args, **kwargs)
            emit({"call": function.__name__}, topic, level)
            return result

        return inner

    return around
