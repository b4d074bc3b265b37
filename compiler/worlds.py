"""Worlds to try a decision rule in: the author's assumption, worlds in which the claim is false, and a grid of effects.

Every world gives each arm a profile of the shared sampler (``compiler.simulation``). Between the control (share 0) and the
assumption (share 1) of the grid, shares move linearly and medians by equal ratios.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from compiler.margins import Margin, falls_short, solve_at
from compiler.simulation import Lognormal, Profile

Kind = Literal["assumed", "null", "effect"]

NO_DIFFERENCE, CHEAPER, FAILURES, ASSUMED, NOBODY = (
    "no_difference",
    "cheaper_solves_fewer",
    "fewer_failures_only",
    "as_assumed",
    "nobody_solves",
)
GENERATED = (ASSUMED, NO_DIFFERENCE, CHEAPER, FAILURES)
"""The worlds that every design which compares arms is tried in."""
OF_EXISTENCE = (ASSUMED, NOBODY)
"""The worlds for the claim that something can be done at all."""

GRID = (Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal("1.5"))
"""Shares of the assumed difference at which the power is worked out, unless the author names others."""

_CHEAPER_BY = Decimal("0.7")
_FEWER = Decimal("0.25")
_LOST = Decimal("0.1")
_PLACES = Decimal("0.000001")


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """One world. ``claim``: whether the claim is true in it; where it is false, a supported claim is a false positive.

    ``share`` is the part of the assumed difference that is real in it, None where that is no matter of degree.
    """

    name: str
    kind: Kind
    claim: bool
    says: str
    profiles: Mapping[str, Profile]
    share: Decimal | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Variation:
    """What an author says of a further world, or of a generated one: profiles by arm (None: as generated)."""

    name: str
    claim: bool
    says: str = ""
    profiles: Mapping[str, Profile] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumed:
    """What is assumed: a profile for every arm, which arm is the control, which the treatment, and what else to try."""

    profiles: Mapping[str, Profile]
    control: str
    treatment: str
    variations: tuple[Variation, ...] = ()
    grid: tuple[Decimal, ...] = GRID
    margin: Margin | None = None
    """What the rule allows the treatment to fall behind in solving; the world in which it falls behind is built there."""
    existence: bool = False
    """No deciding endpoint compares arms: the claim is that somebody can, and it is false where nobody can."""
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Level → arm → that arm at the level, by whose name profiles stand; empty without levels."""


def worlds(assumed: Assumed) -> tuple[World, ...]:
    """Give all worlds: the generated ones, the author's, the grid in ascending order. A variation of a generated one replaces it."""
    if assumed.levels:
        return _at_all_levels(assumed)
    own = {each.name: each for each in assumed.variations}
    found = [_varied(world, own.get(world.name)) for world in _generated(assumed)]
    known = {each.name for each in found}
    found += [
        World(
            name=each.name,
            kind="effect" if each.claim else "null",
            claim=each.claim,
            says=each.says,
            profiles=each.profiles or assumed.profiles,
        )
        for name, each in own.items()
        if name not in known
    ]
    return (*found, *(_at(assumed, share) for share in sorted(set(assumed.grid)) if share not in (0, 1)))


def _at_all_levels(assumed: Assumed) -> tuple[World, ...]:
    """Give the worlds in which what a world says is so at every level: an arm is like the control at its own level."""
    by_level = [
        (arms, worlds(_one_level(assumed, arms)))
        for arms in (assumed.levels[level] for level in sorted(assumed.levels))
    ]
    found = []
    for place, world in enumerate(by_level[0][1]):
        profiles = {arms[arm]: each for arms, at in by_level for arm, each in at[place].profiles.items()}
        found.append(replace(world, profiles=profiles))
    return tuple(found)


def _one_level(assumed: Assumed, arms: Mapping[str, str]) -> Assumed:
    def here(profiles: Mapping[str, Profile]) -> dict[str, Profile]:
        return {arm: profiles[name] for arm, name in arms.items()}

    variations = tuple(
        each if each.profiles is None else replace(each, profiles=here(each.profiles)) for each in assumed.variations
    )
    return replace(assumed, profiles=here(assumed.profiles), variations=variations, levels={})


def _varied(world: World, own: Variation | None) -> World:
    if own is None:
        return world
    changed = replace(world, claim=own.claim, says=own.says or world.says, profiles=own.profiles or world.profiles)
    return changed if world.kind == "assumed" else replace(changed, kind="effect" if own.claim else "null")


def _generated(assumed: Assumed) -> Iterator[World]:
    yield World(
        name=ASSUMED,
        kind="assumed",
        claim=True,
        says="the arms are what the author assumes",
        profiles=assumed.profiles,
        share=Decimal(1),
    )
    yield from _none_can(assumed) if assumed.existence else _compared(assumed)


def _none_can(assumed: Assumed) -> Iterator[World]:
    yield World(
        name=NOBODY,
        kind="null",
        claim=False,
        says="no arm ever solves a task; all else is as assumed",
        profiles={arm: replace(each, solve=Decimal(0)) for arm, each in assumed.profiles.items()},
        share=Decimal(0),
    )


def _compared(assumed: Assumed) -> Iterator[World]:
    control, treatment = assumed.profiles[assumed.control], assumed.profiles[assumed.treatment]
    alike = dict.fromkeys(assumed.profiles, control)
    yield World(
        name=NO_DIFFERENCE,
        kind="null",
        claim=False,
        says=f"every arm is like {assumed.control}",
        profiles=alike,
        share=Decimal(0),
    )
    falls = falls_short(assumed.margin, control) if assumed.margin is not None else control.solve == 0
    yield World(
        name=CHEAPER,
        kind="effect" if falls else "null",
        claim=falls,
        says=f"{assumed.treatment} costs at most {_percent(_CHEAPER_BY)} % of {assumed.control}, and {_fewer(assumed.margin, control)}",
        profiles={**alike, assumed.treatment: _cheaper(control, treatment, assumed.margin)},
    )
    often = max(control.harness_failure, _LOST)
    yield World(
        name=FAILURES,
        kind="null",
        claim=False,
        says=f"{assumed.treatment} is like {assumed.control}, but the harness never loses it, and loses the others in {_percent(often)} %",
        profiles={
            **dict.fromkeys(assumed.profiles, replace(control, harness_failure=often)),
            assumed.treatment: replace(control, harness_failure=Decimal(0)),
        },
    )


def _fewer(margin: Margin | None, control: Profile) -> str:
    """Say how far the treatment falls behind; a control that solves less than that leaves it less to lose."""
    if margin is None:
        return (
            f"solves {_percent(min(_FEWER, control.solve))} pp fewer"
            if control.solve
            else "solves none, nor do the others"
        )
    if falls_short(margin, control):
        return f"solves none, which is less than the registered margin of {_percent(margin.share)} pp behind in {margin.endpoint}"
    return f"falls behind in {margin.endpoint} by the registered margin of {_percent(margin.share)} pp"


def _cheaper(control: Profile, treatment: Profile, margin: Margin | None) -> Profile:
    cost = control.cost
    if cost is not None:
        least = min(cost.median * _CHEAPER_BY, treatment.cost.median if treatment.cost else cost.median)
        cost = replace(cost, median=_rounded(least))
    solve = max(Decimal(0), control.solve - _FEWER) if margin is None else solve_at(margin, control)
    return replace(control, cost=cost, solve=solve)


def _at(assumed: Assumed, share: Decimal) -> World:
    """Give the world in which a share of the assumed difference between each arm and the control (or solving nothing) is real."""
    control = assumed.profiles[assumed.control]
    starts = {
        arm: replace(each, solve=Decimal(0)) if assumed.existence else control for arm, each in assumed.profiles.items()
    }
    profiles = {arm: between(starts[arm], each, share) for arm, each in assumed.profiles.items()}
    return World(
        name=f"effect_{_percent(share)}".replace(".", "_"),
        kind="effect",
        claim=True,
        says=f"{_percent(share)} % of the assumed difference is real",
        profiles=profiles,
        share=share,
    )


def between(control: Profile, other: Profile, share: Decimal) -> Profile:
    """Move from one profile (share 0) towards another (share 1), or beyond; shares stay within 0 … 100 %."""
    return Profile(
        solve=_share(control.solve, other.solve, share),
        cost=_amount(control.cost, other.cost, share),
        time=_amount(control.time, other.time, share) or other.time,
        turns=_count(control.turns, other.turns, share),
        tool_calls=_count(control.tool_calls, other.tool_calls, share),
        harness_failure=_share(control.harness_failure, other.harness_failure, share),
        timeout=_share(control.timeout, other.timeout, share),
        hooks=other.hooks,
        touched_gold=other.touched_gold,
        within_task=_share(control.within_task, other.within_task, share),
    )


def _share(start: Decimal, end: Decimal, share: Decimal) -> Decimal:
    return min(Decimal(1), max(Decimal(0), _rounded(start + (end - start) * share)))


def _amount(start: Lognormal | None, end: Lognormal | None, share: Decimal) -> Lognormal | None:
    if start is None or end is None:
        return end
    spread = max(Decimal(0), _rounded(start.spread + (end.spread - start.spread) * share))
    return Lognormal(median=_ratio(start.median, end.median, share), spread=spread)


def _count(start: int | None, end: int | None, share: Decimal) -> int | None:
    if not start or not end:
        return end
    return max(1, round(_ratio(Decimal(start), Decimal(end), share)))


def _ratio(start: Decimal, end: Decimal, share: Decimal) -> Decimal:
    return _rounded(start * Decimal(float(end / start) ** float(share)))


def _percent(share: Decimal) -> str:
    return f"{(share * 100).normalize():f}"


def _rounded(number: Decimal) -> Decimal:
    """Round to six places, so that the last bits of a machine's powers change nothing."""
    return max(number, Decimal(0)).quantize(_PLACES).normalize() + 0
