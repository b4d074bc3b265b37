"""What decides, by injection, whether harvest keeps a candidate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from compiler.task import Reason
from ledger.plain import Plain


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What a predicate over facts says: holds, does not, or unknown; and the conditions that stood in the way."""

    holds: bool | None
    reasons: tuple[Reason, ...] = ()


Keep = Callable[[str, Mapping[str, Plain]], Judged]
"""Injected into harvest: (set name, facts) → is it worth testing, and worth keeping. Absent facts are unknown."""
