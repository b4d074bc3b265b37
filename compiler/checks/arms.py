"""Arms differ in exactly the one thing that the author declares: proved on the resolved arms, and on their command lines."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from compiler.arms import differing, leaves, resolve
from compiler.checks.levels import check_levels
from compiler.checks.subject import Subject, each, fault, quoted, unknown_name
from compiler.crossing import arm_ids
from compiler.plan import ArmPlan
from spec_lang.assumptions_file import impossible_rates
from spec_lang.diagnostics import Diagnostic, Severity
from spec_lang.model import Arm
from spec_lang.span import Span

CODES = {
    "P320": "an arm repeats an arm that does not exist, or itself",
    "P321": "an arm that repeats another says something of its own",
    "P322": "several arms, and no declared difference",
    "P324": "arms differ in more than the declared difference",
    "P325": "two arms do not differ at all",
    "P326": "the variables of two arms differ in more than the declared difference",
    "P327": "command lines differ in more than one place",
    "P328": "a simulated agent without the profile of an arm, or with one of no arm",
    "P329": "an arm's provider hands over what its agent does not take",
    "P330": "arms that differ in several flags",
}

PARTS = ("provider", "agent", "flags", "env")
"""The parts of an arm that can be the difference. What is hidden from PATH is hidden from every arm; ``expect`` and
``accommodations`` say what is looked at and what is reported, not what is done."""


def check_arms(subject: Subject) -> Iterator[Diagnostic]:
    """Repeats are sound, and the difference between any two arms is the declared one.

    1. ``repeats`` names another arm that itself repeats nothing, and an arm that repeats says nothing else.
    2. Where arms differ, ``single_difference`` is declared and covers every differing key; arms without a difference
       are declared by ``repeats``. Where arms are crossed with levels, all this is asked within each level.
    3. Where command lines and environments are known, those of two arms differ in at most one stretch, and in no variable but the declared.
    4. Levels are sound (see ``compiler.checks.levels``).
    5. A simulated agent has a profile for each arm and for nothing else.
    6. What a provider hands over is taken by the agent.
    """
    broken = [*check_levels(subject), *_repeats(subject), *_profiles(subject)]
    yield from broken
    if not broken:
        yield from _handed_over(subject)
        yield from _differences(subject)


def _repeats(subject: Subject) -> Iterator[Diagnostic]:
    arms = subject.spec.arms
    for name in each(arms):
        arm = arms[name]
        if arm.repeats is None:
            continue
        span = subject.at("arms", name, "repeats")
        if arm.repeats not in arms:
            yield unknown_name("P320", "arm", arm.repeats, set(arms) - {name}, span)
        elif arm.repeats == name or arms[arm.repeats].repeats is not None:
            yield fault(
                "P320", f"`{name}` repeats an arm that repeats", span, hint="name an arm that stands for itself"
            )
        said = [key for key in (*PARTS, "hide_from_path", "expect", "accommodations") if _says(arm, key)]
        if said:
            why = "a repeated arm is the same arm again, to show how much results move by chance alone"
            summary = f"`{name}` repeats `{arm.repeats}` and says {quoted(said)} of its own"
            yield fault("P321", summary, subject.key("arms", name, said[0]), detail=why)


def _says(arm: Arm, key: str) -> bool:
    if key == "provider":
        return arm.provider.kind != "none" or bool(arm.provider.options)
    return bool(getattr(arm, key))


def _profiles(subject: Subject) -> Iterator[Diagnostic]:
    profiles = subject.spec.agent.options.get("profiles")
    if subject.spec.agent.kind != "simulated" or not isinstance(profiles, Mapping):
        return
    arms = arm_ids(subject.spec)
    for name in sorted(set(arms) - set(profiles)):
        hint = f"agent: {{profiles: {{{name}: {{solve: 50 %}}}}}}"
        yield fault("P328", f"arm `{name}` has no profile", subject.key("agent", "profiles"), hint=hint)
    for name in sorted(set(profiles) - set(arms)):
        yield unknown_name("P328", "arm", name, arms, subject.key("agent", "profiles", name))
    for name in sorted(profiles):
        yield from impossible_rates(profiles[name], ("agent", "profiles", name), subject.loaded.spans)


def _handed_over(subject: Subject) -> Iterator[Diagnostic]:
    arms = resolve(subject.spec) if subject.untaken is not None else ()
    for arm in arms:
        lost = subject.untaken(arm) if subject.untaken is not None else frozenset()
        said = arm_ids(subject.spec)[arm.name].name
        if lost and subject.spec.arms[said].repeats is None:
            summary = f"the agent of `{arm.name}` takes no {' and no '.join(sorted(lost))} as it is configured"
            why = "it would be the control under another name"
            hint = "a `command` agent takes them where `{mcp_config}` or `{settings}` stands in its command line"
            yield fault("P329", summary, subject.key("arms", said, "provider"), detail=why, hint=hint)


def _differences(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    ids = arm_ids(spec)
    arms = [arm for arm in resolve(spec) if spec.arms[ids[arm.name].name].repeats is None]
    pairs = [(one, other) for one, other in combinations(arms, 2) if one.level == other.level]
    declared = spec.single_difference
    if declared is None:
        if pairs:
            why = "without it nobody can say what a difference between the arms comes from"
            found = sorted({_part(path) for one, other in pairs for path in differing(one, other)})
            hint = (
                f"single_difference: {found[0]}"
                if len(found) == 1
                else f"the arms differ in {quoted(found) or 'nothing'}"
            )
            yield fault("P322", "several arms, and no single_difference", subject.key("arms"), detail=why, hint=hint)
        return
    told: set[tuple[str, str]] = set()
    for one, other in pairs:
        said = (ids[one.name].name, ids[other.name].name)
        faults = [] if said in told else list(_pair(subject, one, other, declared))
        yield from faults
        if faults:
            told.add(said)  # what is wrong at one level is mostly so at all


def _pair(subject: Subject, one: ArmPlan, other: ArmPlan, declared: str) -> Iterator[Diagnostic]:
    parts = differing(one, other)
    if not parts:
        hint = f"an A/A arm is written `repeats: {arm_ids(subject.spec)[one.name].name}`"
        summary = f"arms `{one.name}` and `{other.name}` do not differ"
        yield fault("P325", summary, _key(subject, other), hint=hint)
        return
    foreign = [path for path in parts if not _covers(declared, path)]
    if foreign:
        found = sorted({_part(path) for path in parts})
        summary = f"arms `{one.name}` and `{other.name}` differ in more than `{declared}`: in {quoted(found)}"
        if len(found) == 1:
            summary = f"arms `{one.name}` and `{other.name}` differ in `{foreign[0]}`, not only in `{declared}`"
        span = _said_at(subject, foreign[0], one, other)
        why = f"`{foreign[0]}` is {_show(one, foreign[0])} in one and {_show(other, foreign[0])} in the other"
        yield fault("P324", summary, span, detail=why, hint="make the arms equal in all but one thing")
        return
    flags = _differing_flags(one, other) if declared in {"flags", "flag"} else []
    if len(flags) > 1:
        summary = f"arms `{one.name}` and `{other.name}` differ in {len(flags)} flags: {quoted(flags)}"
        why = "nobody can say which of them a difference between the arms comes from"
        hint = "change one flag at a time: single_difference: flag"
        severity: Severity = "error" if declared == "flag" else "warning"
        yield fault("P330", summary, _said_at(subject, "flags", one, other), detail=why, hint=hint, severity=severity)
    if declared != "agent":
        yield from _command_lines(subject, one, other)
        yield from _environments(subject, one, other, declared)


def _command_lines(subject: Subject, one: ArmPlan, other: ArmPlan) -> Iterator[Diagnostic]:
    if subject.command_line is None:
        return
    first, second = subject.command_line(one), subject.command_line(other)
    changes = [
        step for step in SequenceMatcher(None, first, second, autojunk=False).get_opcodes() if step[0] != "equal"
    ]
    if len(changes) > 1:
        places = "; ".join(f"{list(first[a:b])} against {list(second[c:d])}" for _, a, b, c, d in changes)
        summary = f"the command lines of `{one.name}` and `{other.name}` differ in {len(changes)} places"
        yield fault("P327", summary, _key(subject, other), detail=places)


def _environments(subject: Subject, one: ArmPlan, other: ArmPlan, declared: str) -> Iterator[Diagnostic]:
    """Hold the whole environments together: an agent's kind may set variables by its own options."""
    if subject.environment is None or declared == "env":
        return
    first, second = subject.environment(one), subject.environment(other)
    named = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
    if named:
        summary = f"the environments of `{one.name}` and `{other.name}` differ in {quoted(named)}"
        yield fault("P326", summary, _key(subject, other), hint="make them equal, or declare that difference")


def _covers(declared: str, path: str) -> bool:
    part = "flags" if declared == "flag" else declared
    return path == part or path.startswith(f"{part}.")


def _differing_flags(one: ArmPlan, other: ArmPlan) -> list[str]:
    """Name the flags that one arm has and the other has not, or has with other values."""
    first, second = _flags(one.flags), _flags(other.flags)
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def _flags(words: Sequence[str]) -> dict[str, list[str]]:
    """Part flags: each begins with a hyphen, and what follows up to the next is its value; ``--x=1`` is the same as ``--x 1``."""
    found: dict[str, list[str]] = {}
    name = ""
    for word in words:
        if word.startswith("-"):
            name, _, value = word.partition("=")
            found.setdefault(name, []).extend([value] if value else [])
        else:
            found.setdefault(name or word, []).append(word)
    return found


def _part(path: str) -> str:
    """Name a difference as an author would declare it: a provider and flags as a whole, agents and variables by key."""
    part, _, rest = path.partition(".")
    return part if part in {"provider", "flags"} or not rest else f"{part}.{rest.split('.', 1)[0]}"


def _said_at(subject: Subject, path: str, one: ArmPlan, other: ArmPlan) -> Span:
    """Give the key that makes the difference, in the later arm if it says it, else in the earlier."""
    part = path.split(".", 1)[0]
    first, second = (arm_ids(subject.spec)[each.name].name for each in (one, other))
    says = second if _says(subject.spec.arms[second], part) else first
    return subject.key("arms", says, *path.split("."))


def _key(subject: Subject, arm: ArmPlan) -> Span:
    return subject.key("arms", arm_ids(subject.spec)[arm.name].name)


def _show(arm: ArmPlan, path: str) -> str:
    value = leaves(arm).get(path)
    return "not set" if value is None else f"`{value}`"
