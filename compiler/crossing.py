"""Levels: every arm of a spec at each level of the factor that ``across`` names, and every endpoint within each level.

An arm at a level is an arm of its own, ``ARM_LEVEL``; an endpoint within a level is an endpoint of its own, ``ENDPOINT.LEVEL``.
Without ``across`` there is one arm for each arm, and one endpoint for each endpoint.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from spec_lang.model import Endpoint, Settings, Spec

PAIRED_BOOL = frozenset({"mcnemar-exact", "mcnemar-midp", "newcombe-paired", "tango-score"})
"""Procedures over pairs of yes and no. Levels together leave a mean for each task, which is neither."""

FIELDS = ("n", "estimate", "p", "lower", "upper", "discordant", "count", "arm")
"""What the decision reads of an endpoint; no level may be called so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossed:
    """What an id stands for: an arm or an endpoint of the spec, and the level (None: no level, or all of them together)."""

    name: str
    level: str | None = None


def levels(spec: Spec) -> Mapping[str, Settings]:
    """Give what each level changes about the agent, by name, sorted; empty without ``across``."""
    return {name: factor[name] for factor in spec.across.values() for name in sorted(factor)}


def at_level(arm: str, level: str | None) -> str:
    """Name an arm at a level."""
    return arm if level is None else f"{arm}_{level}"


def within_level(endpoint: str, level: str | None) -> str:
    """Name an endpoint within a level."""
    return endpoint if level is None else f"{endpoint}.{level}"


def arm_ids(spec: Spec) -> dict[str, Crossed]:
    """Give every arm that runs, by its id, sorted."""
    found = [Crossed(name=arm, level=level) for arm in spec.arms for level in levels(spec) or (None,)]
    return {at_level(each.name, each.level): each for each in sorted(found, key=lambda it: at_level(it.name, it.level))}


def level_arms(spec: Spec) -> dict[str, dict[str, str]]:
    """Give the id of every arm at every level: level → arm as the spec names it → id; empty without ``across``."""
    return {level: {arm: at_level(arm, level) for arm in sorted(spec.arms)} for level in levels(spec)}


def endpoint_ids(spec: Spec) -> dict[str, Crossed]:
    """Give every endpoint that a rule may read, by its id: over all levels together where it has a value there, and within each."""
    return {
        within_level(name, level): Crossed(name=name, level=level)
        for name in sorted(spec.endpoints)
        for level in (None, *levels(spec))
        if level is not None or not spec.across or spec.endpoints[name].compare is None or pools(spec.endpoints[name])
    }


def pools(endpoint: Endpoint) -> bool:
    """Tell whether an endpoint has a value over all levels together: a comparison whose procedures take a mean for each task."""
    procedures = {each.kind for each in (endpoint.test, endpoint.interval) if each is not None}
    return endpoint.compare is not None and not procedures & PAIRED_BOOL
