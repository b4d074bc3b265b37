"""simulation.json: the operating characteristics of a design, as worked out before any money was spent, and reading it back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import sqrt
from typing import Literal

from compiler.simulation import DOMAIN
from compiler.worlds import Kind
from ledger.canonical import canonical, parse
from ledger.codec import from_plain, to_plain
from ledger.plain import Plain

TYPE: Literal["prereg.simulation/v1"] = "prereg.simulation/v1"

_PLACES = Decimal("0.000001")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """How often something happened: ``count`` of ``of``; ``error`` is the Monte Carlo standard error of ``rate`` (shares of 1).

    None where nothing could be counted.
    """

    count: int
    of: int
    rate: Decimal | None
    error: Decimal | None


def rate(count: int, of: int) -> Rate:
    """Count; the error of 0 and of 1 is taken as if one experiment more had gone the other way, for none is certain."""
    if of == 0:
        return Rate(count=count, of=of, rate=None, error=None)
    share = count / of
    error = sqrt(max(share * (1 - share), 1 / of) / of)
    return Rate(
        count=count,
        of=of,
        rate=(Decimal(count) / of).quantize(_PLACES),
        error=Decimal(error).quantize(_PLACES),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """One condition of the rule: in how many experiments it held, failed, and could not be decided."""

    text: str
    holds: int
    fails: int
    unknown: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """How often an interval held the truth, in the unit of its estimate.

    ``truth`` is the statistic over the tasks of all experiments together, through the same pipeline; ``truth_error`` its own
    standard error. ``below``: intervals that end below the truth; ``above``: that begin above it; ``none``: experiments
    whose data gave no interval. ``covered`` is over those that have one.
    """

    endpoint: str
    arm: str
    interval: str
    level: Decimal
    unit: str
    truth: Decimal | None
    truth_error: Decimal | None
    covered: Rate
    below: int
    above: int
    none: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Spend:
    """Means over experiments: attempts, those of unknown cost, USD of the others, and USD with the unknown at their limit."""

    known_usd: Decimal
    attempts: Decimal
    unknown: Decimal
    most_usd: Decimal | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """One world and what the registered rule makes of it. ``blank``: endpoints of which the assumptions say nothing."""

    name: str
    kind: Kind
    claim: bool
    says: str
    share: Decimal | None
    experiments: int
    arms: Mapping[str, Plain]
    supported: Rate
    not_supported: Rate
    no_verdict: Rate
    conditions: tuple[Condition, ...]
    coverage: tuple[Coverage, ...]
    spend: Spend
    blank: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulation:
    """What a design does in several worlds.

    ``design`` is the digest of the design it is for; ``assumptions`` what was assumed, with ``assumptions_digest`` of it;
    ``experiments`` how many are asked for in each world (a point of the grid has a quarter of them); ``resamples`` the most
    that a bootstrap resamples here (the registered rule may more often). ``power`` is the share of supported claims where the
    author's assumption is true, ``false_positives`` the largest share among the worlds in which the claim is false.
    """

    experiment: str
    design: str
    seed: int
    experiments: int
    resamples: int
    tasks: int
    trials: int
    control: str
    treatment: str
    assumptions: Plain
    assumptions_digest: str
    power: Rate
    false_positives: Rate
    worst: str
    scenarios: tuple[Scenario, ...]
    sampler: str = DOMAIN
    canon: Literal["1"] = "1"
    type: Literal["prereg.simulation/v1"] = TYPE
    notes: tuple[str, ...] = field(default=())


def encode(simulation: Simulation) -> bytes:
    """Write a simulation as its canonical bytes; decimals are strings."""
    return canonical(to_plain(simulation))


def decode(data: bytes, *, where: str = "simulation.json") -> Simulation:
    """Read a simulation.

    Raises:
        IntegrityFault: The bytes are no simulation of ours, or not the canonical bytes of what they say.
    """
    return from_plain(Simulation, parse(data, where=where), where=where)
