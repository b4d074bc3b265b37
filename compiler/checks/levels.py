"""Levels of ``across``: each is another agent than the others, no arm takes that back, and no id stands for two things."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from compiler.arms import differing, resolve
from compiler.checks.subject import Subject, each, fault, quoted
from compiler.crossing import FIELDS, arm_ids, at_level, levels
from spec_lang.diagnostics import Diagnostic

CODES = {
    "P323": "two levels at which an arm is the same, or an arm that sets what levels set",
    "P318": "a level whose name makes an id stand for two things",
}


def check_levels(subject: Subject) -> Iterator[Diagnostic]:
    """A level is a difference, and has a name of its own.

    1. No level is called like a field of endpoints, and no two arms at levels have one id.
    2. No arm changes a part of the agent that a level changes: the levels would be fewer than they look.
    3. Any two levels differ, in every arm.
    """
    broken = [*_names(subject), *_overruled(subject)]
    yield from broken
    if not broken:
        yield from _alike(subject)


def _names(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    for factor in each(spec.across):
        for level in sorted(set(spec.across[factor]) & set(FIELDS)):
            why = f"`ENDPOINT.{level}` would be both the endpoint within that level and its field"
            span = subject.key("across", factor, level)
            yield fault("P318", f"a level is called `{level}`", span, detail=why, hint="choose another name")
        ids = Counter(at_level(arm, level) for arm in spec.arms for level in spec.across[factor])
        for name in sorted(name for name, times in ids.items() if times > 1):
            summary = f"two arms at levels would be called `{name}`"
            yield fault("P318", summary, subject.key("across", factor), hint="rename a level")
        for name in sorted(set(ids) & set(spec.arms)):
            summary = f"an arm at a level would be called `{name}`, like an arm"
            yield fault("P318", summary, subject.key("across", factor), hint="rename a level, or the arm")


def _overruled(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    said = {key for overlay in levels(spec).values() for key in overlay}
    for arm in each(spec.arms):
        for key in sorted(said & set(spec.arms[arm].agent)):
            factor = next(iter(spec.across))
            summary = f"arm `{arm}` sets `{key}` of the agent, which the levels of `{factor}` set"
            why = "the arm would be the same at every level, whatever the level is called"
            span = subject.key("arms", arm, "agent", key)
            yield fault("P323", summary, span, detail=why, hint="leave it to the levels")


def _alike(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    ids, arms = arm_ids(spec), resolve(spec)
    told: set[str] = set()
    for one, other in combinations(arms, 2):
        arm, level = ids[other.name].name, ids[other.name].level
        if ids[one.name].name != arm or level is None or level in told or differing(one, other):
            continue
        told.add(level)
        factor = next(iter(spec.across))
        summary = f"levels {quoted([str(ids[one.name].level), level])} of `{factor}` do not differ in arm `{arm}`"
        why = "the same trials under two names would count as two confirmations"
        span = subject.key("across", factor, level)
        yield fault("P323", summary, span, detail=why, hint="say what each level changes: {model: …}")
