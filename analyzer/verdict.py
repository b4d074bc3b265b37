"""The verdict and its parts: what was estimated, which condition held, and what the registered rule says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Status = Literal["supported", "not_supported", "no_verdict"]

Number: TypeAlias = int | float
"""Counts are int; everything estimated is a finite double. NaN and infinity are refused long before."""

Shown: TypeAlias = "bool | int | float | str | list[Shown] | dict[str, Shown] | None"


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """One endpoint as judged.

    ``values`` always has ``n`` (tasks); where they apply also ``estimate``, ``mean``, ``median``, ``lower``, ``upper``, ``level``,
    ``p``, ``p_adjusted``, ``attainable_p``, ``discordant``, ``counts`` (arm → count), ``arms`` (arm → value), ``intervals``
    (arm → lower, upper), ``trials`` (arm → count), ``signs`` (tasks below, at and above zero), ``unknown`` and ``left_out`` (tasks),
    ``known``: the same numbers over the known tasks alone, where something is unknown.

    A p too small for a double is the least one above zero. A value that could not be computed is None and has a sentence in
    ``reasons``. ``notes`` are reading aids (tail effect only, degenerate, interval and test disagree), ``tasks`` the per-task
    values behind the estimate.
    """

    name: str
    role: str
    unit: str
    values: Mapping[str, Shown]
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tasks: Mapping[str, Mapping[str, Shown]] = field(default_factory=dict)
    by: Mapping[str, Mapping[str, Shown]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """One condition of the decision rule: its text, the values it read, and whether it holds (None: cannot be decided)."""

    text: str
    values: Mapping[str, Shown]
    holds: bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmSummary:
    """One arm in counts: trials planned, outcomes by verdict, attempts lost or retried by rule, exclusions, total known cost."""

    planned: int
    outcomes: Mapping[str, int]
    attempts: int
    retried: Mapping[str, int]
    excluded: Mapping[str, int]
    cost_usd: float | None
    cost_unknown: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What the registered rule says of one run."""

    status: Status
    claim: str
    wording: str
    conditions: tuple[Condition, ...]
    decidable: tuple[Condition, ...]
    endpoints: Mapping[str, Estimate]
    arms: Mapping[str, ArmSummary]
    warnings: tuple[str, ...]
    spec_digest: str
    plan_digest: str
    ledger_head: str
    stage: str
    simulated: bool
    gaps: Mapping[str, str] = field(default_factory=dict)
    sizing: Mapping[str, Shown] = field(default_factory=dict)
    """How many tasks the next run needs by the registered formula: ``n``, or None with ``reason``; empty when none is registered."""
    routes: Mapping[str, str] = field(default_factory=dict)
    """By which route ``cost`` and ``time`` were measured, with the digest and the day of the ``prices`` where there are any."""
    not_compared: Mapping[str, str] = field(default_factory=dict)
    """Endpoint on costs → why its arms are not compared."""
    post_hoc: Mapping[str, str] = field(default_factory=dict)
    """Endpoint → when, after outcomes had been seen, it was registered or changed, and on which observation."""


def read_of(name: str, endpoints: Mapping[str, Estimate]) -> Estimate | None:
    """Find the endpoint that a condition's value is of: ``cost`` of ``cost.p``, ``cost.gpt`` of ``cost.gpt.p`` where it is one."""
    return endpoints.get(name.rpartition(".")[0]) or endpoints.get(name.partition(".")[0])
