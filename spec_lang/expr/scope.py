"""Scopes: which names an expression may read at its place in a spec, and their types."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spec_lang import catalog
from spec_lang.expr.builtins import BUILTINS, ScopeTitle
from spec_lang.expr.types import BOOL, NUMBER, TASK, TEXT, ColumnType, TextType, Type, named
from spec_lang.expr.values import Value, read_plain


@dataclass(frozen=True, kw_only=True, slots=True)
class Method:
    """A call on an endpoint, ``solved.count(ARM)``: the words it takes, what they are, and its type."""

    takes: tuple[str, ...]
    what: str
    result: Type


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """One place of a spec.

    ``names`` and ``methods`` stand under their dotted names. ``owners`` says what a name with fields is (``endpoint``).
    ``foreign`` are names of the spec that exist but may not be read here, with the sentence that says why.
    ``absent`` are dotted names that would exist if something were declared, with the sentence that says what.
    """

    title: ScopeTitle
    names: Mapping[str, Type]
    methods: Mapping[str, Method] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[str, ...]:
        """Name the builtins that may be called here."""
        return tuple(each.name for each in BUILTINS if self.title in each.scopes)

    def read(self, facts: Mapping[str, object]) -> dict[str, Value]:
        """Take stored facts (plain data) as values of this scope's names; what is not there stays absent, so unknown.

        ``changed`` may be a list of ``{"path", "status"}``; its paths are taken. Raises ValueError for a fact of another type.
        """
        values = {name: read_plain(facts[name], kind) for name, kind in self.names.items() if name in facts}
        if isinstance(changed := facts.get("changed"), list | tuple):
            values["changed"] = tuple(each["path"] if isinstance(each, Mapping) else str(each) for each in changed)
        return values


def _types(facts: Mapping[str, tuple[str, str]]) -> dict[str, Type]:
    return {name: named(kind) for name, (kind, _doc) in facts.items()}


def selection(
    source_kind: str,
    *,
    endpoints: Iterable[str] = (),
    measures: Iterable[str] = (),
    arms: Iterable[str] = (),
) -> Scope:
    """Open the scope of ``tasks.*.where`` and ``endpoints.*.where``: facts of the source and of the task.

    Nothing that a trial yields may be read, so ``endpoints``, ``measures`` and ``arms`` only serve to say so by name.
    """
    names = _types(catalog.TASK_FACTS) | _types(catalog.SOURCE_FACTS.get(source_kind, {}))
    foreign = {
        name: f"selection cannot read the trial fact `{name}`: choosing tasks by outcome" for name in _trial_names()
    }
    for kind, declared in (("arm", arms), ("measure", measures), ("endpoint", endpoints)):
        foreign |= {name: f"selection cannot read the {kind} `{name}`: choosing tasks by outcome" for name in declared}
    foreign = {name: why for name, why in foreign.items() if name not in names}
    return Scope(title="selection", names=names, foreign=foreign)


def _trial_names() -> set[str]:
    return {name.split(".")[0] for name in catalog.TRIAL_FACTS} - {"task"}


def oracle(checks: Mapping[str, str]) -> Scope:
    """Open the scope of an oracle's conditions: ``CHECK.ok`` and what its kind counts.

    ``checks``: name → kind; a check that is itself a condition has the kind ``condition``.
    """
    names: dict[str, Type] = {}
    for check, kind in checks.items():
        facts = catalog.CHECK_FACTS.get(kind, {})
        names |= {f"{check}.ok": BOOL} | {f"{check}.{fact}": named(of) for fact, (of, _doc) in facts.items()}
    return Scope(title="oracle", names=names, owners=dict.fromkeys(checks, "check"))


_COLLECTED: Mapping[str, Type] = {"count": NUMBER, "bool": BOOL, "text": TEXT}


def trial(arms: Sequence[str], collect: Mapping[str, str], measures: Mapping[str, Type]) -> Scope:
    """Open the scope of measures and missing-data rules: the facts of one trial.

    ``collect``: name → ``count``, ``bool`` or ``text``; ``measures``: the earlier measures and their types.
    """
    names = _types(catalog.TRIAL_FACTS) | {"arm": TextType(values=tuple(arms))}
    names |= {name: _COLLECTED[kind] for name, kind in collect.items()}
    return Scope(title="trial", names=names | dict(measures), owners={"limits": "limit"})


def compare(arms: Sequence[str], of: Type = NUMBER) -> Scope:
    """Open the scope of a comparison: each arm's value of one task, all of one type."""
    return Scope(title="compare", names=dict.fromkeys(arms, of))


def per_arm(measures: Mapping[str, Type], collect: Mapping[str, str] | None = None) -> Scope:
    """Open the scope of a per-arm expression: trial facts, collected facts and measures as columns over an arm's trials."""
    rows = trial((), collect or {}, measures).names
    columns: dict[str, Type] = {name: ColumnType(of=kind) for name, kind in rows.items() if name != "arm"}
    return Scope(title="per_arm", names=columns, owners={"limits": "limit"})


@dataclass(frozen=True, kw_only=True, slots=True)
class EndpointShape:
    """What a decision may read of one endpoint.

    ``estimate``: type of the compared estimate, None without a comparison. ``value``: type of one arm's value.
    ``test``, ``interval``: whether they are declared. ``counts``: whether each task's value is true or false.
    ``pooled``: whether it has a value over all levels together, where the arms are crossed with levels.
    """

    value: Type
    estimate: Type | None = None
    test: bool = False
    interval: bool = False
    counts: bool = False
    pooled: bool = True


def decision(endpoints: Mapping[str, EndpointShape], arms: Sequence[str], levels: Sequence[str] = ()) -> Scope:
    """Open the scope of the decision rule: the fields of each endpoint, and its value in an arm; with ``levels``, also in each."""
    names: dict[str, Type] = {}
    methods: dict[str, Method] = {}
    absent: dict[str, str] = {}
    for name, shape in endpoints.items():
        for level in levels:
            _endpoint(f"{name}.{level}", shape, arms, names, methods, absent)
            if shape.estimate is None:
                del names[f"{name}.{level}.n"]  # what compares nothing counts its tasks once for all levels
        whole = f"{name}.{levels[0]}" if levels else name
        if not levels:
            _endpoint(name, shape, arms, names, methods, absent)
        elif shape.estimate is not None and shape.pooled:
            _endpoint(name, replace(shape, counts=False), arms, names, methods, absent)
            absent |= {
                f"{name}.{field}": f"over all levels a task has a mean, and no yes or no; name a level, as in `{whole}.{field}`"
                for field in ("count", "discordant")
            }
        else:
            why = "its procedures need a yes or no of each task"
            if shape.estimate is None:
                why, names[f"{name}.n"] = "it compares nothing", TASK
            absent |= {
                f"{name}.{field}": f"over all levels together it has no value ({why}); name a level, as in `{whole}.{field}`"
                for field in ("n", "estimate", "p", "lower", "upper", "discordant", "count", "arm")
                if f"{name}.{field}" not in names
            }
    owners = dict.fromkeys(endpoints, "endpoint")
    return Scope(title="decision", names=names, methods=methods, owners=owners, absent=absent)


def _endpoint(
    name: str,
    shape: EndpointShape,
    arms: Sequence[str],
    names: dict[str, Type],
    methods: dict[str, Method],
    absent: dict[str, str],
) -> None:
    """Add what may be read of one endpoint, and why the rest may not be."""
    of = shape.estimate or shape.value
    fields: dict[str, tuple[Type, str | None]] = {
        "n": (TASK, None),
        "estimate": (of, None if shape.estimate else "it compares nothing; read one arm with `arm(…)`"),
        "p": (NUMBER, None if shape.test else "it declares no test"),
        "lower": (of, None if shape.interval else "it declares no interval"),
        "upper": (of, None if shape.interval else "it declares no interval"),
        "discordant": (
            TASK,
            None if shape.counts and shape.estimate else "only a compared bool measure has pairs that differ",
        ),
    }
    names |= {f"{name}.{each}": kind for each, (kind, lack) in fields.items() if lack is None}
    absent |= {f"{name}.{each}": lack for each, (_kind, lack) in fields.items() if lack is not None}
    methods[f"{name}.arm"] = Method(takes=tuple(arms), what="arm", result=shape.value)
    if shape.counts:
        methods[f"{name}.count"] = Method(takes=tuple(arms), what="arm", result=TASK)
    else:
        absent[f"{name}.count"] = "its measure is not true or false for each task"


def per_task_type(measure: Type, per_task: str) -> Type:
    """Give the type of a measure's value for one task: a bool becomes a share, or a count where it is summed."""
    if measure != BOOL:
        return measure
    return NUMBER if per_task == "sum" else named("share")
