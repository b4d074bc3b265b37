"""Where lines end up: in memory, in the order in which they were written."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    """One line: how serious, about what, and what is known of it."""

    level: str
    topic: str
    fields: dict[str, object] = field(default_factory=dict)


LINES: list[Line] = []


def write(level: str, topic: str, fields: dict[str, object]) -> None:
    """Append a line."""
    LINES.append(Line(level=level, topic=topic, fields=dict(fields)))
