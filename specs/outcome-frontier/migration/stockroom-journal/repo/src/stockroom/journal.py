"""The new way to write a line: the topic first, the level always said, the fields by name."""

from collections.abc import Callable
from enum import Enum
from functools import wraps
from typing import ParamSpec, TypeVar

from stockroom import sink

P = ParamSpec("P")
R = TypeVar("R")


class Level(Enum):
    """How serious a line is; the value is what is written."""

    INFO = "info"
    WARN = "warn"


def record(topic: str, level: Level, **fields: object) -> None:
    """Write a line about a topic."""
    sink.write(level.value, topic, fields)


def recorded(topic: str, level: Level) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Write a line with the function's name whenever it has been called."""

    def around(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def inner(*args: P.args, **kwargs: P.kwargs) -> R:
            result = function(*args, **kwargs)
            record(topic, level, call=function.__name__)
            return result

        return inner

    return around
