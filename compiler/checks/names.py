"""Names that stand outside expressions: each must stand for something, and for one thing only."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from compiler.checks.subject import Key, Subject, each, fault, unknown_name
from spec_lang.catalog import OWN_TERMS, TRIAL_FACTS
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import reads
from spec_lang.model import Choice
from spec_lang.own_oracle import need_faults

CODES = {
    "P301": "a name that stands for nothing",
    "P302": "a measure or collected fact hides a trial fact, or each other",
    "P303": "measures that read one another in a circle",
    "P304": "a rule or task set named twice",
    "P305": "a file outside of the workspace",
    "P306": "checks are to come from tasks that bring none",
    "P401": "a collected fact that reads no value, or two",
}


def check_names(subject: Subject) -> Iterator[Diagnostic]:
    """Every name that stands outside an expression is known; no measure hides a fact or reads itself; files stay inside."""
    yield from _oracles(subject)
    yield from _decision(subject)
    yield from _endpoints(subject)
    yield from _missing(subject)
    yield from _shadows(subject)
    yield from _circles(subject)
    yield from _outside(subject)
    yield from _collected(subject)


def _oracles(subject: Subject) -> Iterator[Diagnostic]:
    for name in each(subject.spec.tasks):
        tasks = subject.spec.tasks[name]
        if tasks.oracle.from_ == "task" and tasks.source.kind not in OWN_TERMS:
            summary = f"tasks of kind `{tasks.source.kind}` bring no checks of their own"
            hint = "checks: {fixed: {kind: tests, of: fail-to-pass}}, pass: [fixed.ok]"
            yield fault("P306", summary, subject.at("tasks", name, "oracle", "from"), hint=hint)
        options = {key: each.options for key, each in tasks.oracle.checks.items() if isinstance(each, Choice)}
        for key in sorted(options):
            path = ("tasks", name, "oracle", "checks", key, "needs")
            yield from need_faults(options[key].get("needs"), options, subject.loaded.spans, *path)


def _decision(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    yield from _all_known(subject, "task set", spec.decision.tasks, spec.tasks, "decision", "tasks")
    if spec.decision.family is not None:
        members = spec.decision.family.members
        yield from _all_known(subject, "endpoint", members, subject.endpoints, "decision", "family", "members")
    following = spec.sample_size.next
    if following is not None and following.endpoint not in subject.endpoints:
        span = subject.at("sample_size", "next", "endpoint")
        yield unknown_name("P301", "endpoint", following.endpoint, subject.endpoints, span)


def _all_known(
    subject: Subject, kind: str, said: Iterable[str], known: Iterable[str], *path: Key
) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for place, name in enumerate(said):
        if name not in set(known):
            yield unknown_name("P301", kind, name, known, subject.at(*path, place))
        elif name in seen:
            yield fault("P304", f"{kind} `{name}` is named twice", subject.at(*path, place), hint="name it once")
        seen.add(name)


def _endpoints(subject: Subject) -> Iterator[Diagnostic]:
    known = measurable(subject)
    for name in each(subject.spec.endpoints):
        measure = subject.spec.endpoints[name].measure
        if measure is not None and measure not in known:
            span = subject.at("endpoints", name, "measure")
            yield unknown_name("P301", "measure", measure, known, span)


def measurable(subject: Subject) -> frozenset[str]:
    """Give the names that an endpoint may measure: trial facts, collected facts, measures."""
    return frozenset({*TRIAL_FACTS, *subject.spec.collect, *subject.spec.measures})


def _missing(subject: Subject) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    known = measurable(subject)
    for place, rule in enumerate(subject.spec.missing.rules):
        if rule.rule in seen:
            span = subject.at("missing", "rules", place, "rule")
            yield fault("P304", f"rule `{rule.rule}` is named twice", span, hint="give each rule its own name")
        seen.add(rule.rule)
        for name in each(rule.value or {}):
            if name not in known:
                span = subject.key("missing", "rules", place, "value", name)
                yield unknown_name("P301", "measure", name, known, span)


def _shadows(subject: Subject) -> Iterator[Diagnostic]:
    said: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("collect", subject.spec.collect),
        ("measures", subject.spec.measures),
    )
    for section, mapping in said:
        for name in each(mapping):
            span = subject.key(section, name)
            if name in TRIAL_FACTS:
                why = "the harness itself reports it, and a reader could not tell which of the two is meant"
                yield fault("P302", f"`{name}` is a trial fact already", span, detail=why, hint="choose another name")
            elif section == "measures" and name in subject.spec.collect:
                yield fault("P302", f"`{name}` is collected already", span, hint="choose another name")


def _circles(subject: Subject) -> Iterator[Diagnostic]:
    measures = subject.spec.measures
    for name in each(measures):
        reached = _reached(name, {each: reads(measures[each].tree) for each in measures})
        if name in reached:
            way = " → ".join((name, *reached[name]))
            yield fault("P303", f"measure `{name}` reads itself", subject.at("measures", name), detail=way)


def _outside(subject: Subject) -> Iterator[Diagnostic]:
    for name in each(subject.spec.collect):
        path = PurePosixPath(subject.spec.collect[name].file)
        if path.is_absolute() or ".." in path.parts:
            span = subject.at("collect", name, "file")
            hint = "name it as seen from the top of the workspace"
            yield fault("P305", f"`{path}` lies outside of the workspace", span, hint=hint)


def _collected(subject: Subject) -> Iterator[Diagnostic]:
    for name in each(subject.spec.collect):
        said = subject.spec.collect[name]
        span = subject.key("collect", name)
        if said.lines == "count":
            if said.path is not None or said.type != "count":
                why = "it counts lines, whatever stands in them"
                hint = f"{{file: {said.file}, lines: count, type: count}}"
                yield fault("P401", f"`{name}` counts lines and reads a value too", span, detail=why, hint=hint)
        elif said.path is None:
            yield fault("P401", f"`{name}` names no value to read", span, hint="path: KEY, or lines: count")
        if said.where and said.lines is None:
            hint = "lines: count, or lines: last"
            yield fault("P401", f"`{name}` chooses lines of a file that is read as a whole", span, hint=hint)


def _reached(start: str, reads: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Give every measure that ``start`` reads, with the way there."""
    ways: dict[str, tuple[str, ...]] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(start, ())]
    while waiting:
        here, way = waiting.pop()
        for name in reads.get(here, ()):
            if name in reads and name not in ways:
                ways[name] = (*way, name)
                waiting.append((name, ways[name]))
    return ways
