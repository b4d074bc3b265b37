"""Sets made of issues: what they must name, which tests their checks may read, and what a private one must not let out."""

from collections.abc import Iterator, Mapping, Sequence

from compiler.arms import SCRIPTED, resolve
from compiler.checks.subject import Subject, each, fault, quoted
from compiler.private import SHOWN, private_env
from spec_lang.catalog import SOURCE_FACTS, TASK_FACTS
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Expression, reads
from spec_lang.model import Choice

CODES = {
    "P312": "something that a private set must not say, or cannot have",
    "P313": "a set made of issues that does not name where they are",
    "P314": "an analysis that reads what a private set hides",
    "P315": "a text collected from the workspaces of a private set",
    "P316": "a check of withheld tests where none are withheld",
}

KIND = "issues"
_PLACES = ("issues", "pulls", "repository", "at")
_TESTS = ("tests", "test_files")
_WITHHELD = frozenset({"held-out", "baseline"})
_HIDDEN = frozenset(SOURCE_FACTS[KIND]) - frozenset(TASK_FACTS) - SHOWN | {"changed"}


def check_private(subject: Subject) -> Iterator[Diagnostic]:
    """Sets of issues are whole, and nothing of a private one can enter the experiment folder.

    1. A public set names its export, history and tests; a private one names the variable that leads to its store, where the rest is.
    2. A private set has no prompts, no look for leaks and no exclusions by what a task says: nobody could check them without its texts.
    3. No endpoint reads a hidden fact, and no text is collected from its workspaces into the ledger.
    4. No agent that is a program runs in a sandbox without a wall, in which it could read the store; that is a warning.
    5. Only a set whose tests are withheld has lists of withheld and remaining tests.
    """
    spec = subject.spec
    private = []
    for name in each(spec.tasks):
        tasks = spec.tasks[name]
        if tasks.source.kind != KIND:
            yield from _not_withheld(subject, name, tasks.oracle.checks)
            continue
        if private_env(tasks.source) is None:
            yield from _incomplete(subject, name, tasks.source)
        else:
            private.append(name)
            yield from _told(subject, name)
    if private:
        yield from _read_back(subject, private)
        yield from _no_wall(subject, private[0])


def _incomplete(subject: Subject, name: str, source: Choice) -> Iterator[Diagnostic]:
    missing = [option for option in (*_PLACES, *_TESTS) if option not in source.options]
    if missing:
        summary = f"`{name}` is made of issues and does not say {quoted(missing)}"
        hint = "name them, or `private: {store_env: VARIABLE}` where a private store holds them"
        yield fault("P313", summary, subject.key("tasks", name, "source"), hint=hint)


def _told(subject: Subject, name: str) -> Iterator[Diagnostic]:
    tasks = subject.spec.tasks[name]
    for option in _PLACES:
        if option in tasks.source.options:
            span = subject.key("tasks", name, "source", option)
            hint = "write it into store.json in the store; the spec is in every registration"
            yield fault("P312", f"`{name}` is private, and `{option}` would say what it is made of", span, hint=hint)
    for key, said in (("prompts", tasks.prompts), ("leakage", tasks.leakage)):
        if said is not None:
            span = subject.key("tasks", name, key)
            summary = (
                f"`{name}` is private: its prompts are the issues' own texts, in the store, where `{key}` cannot look"
            )
            yield fault("P312", summary, span, hint="take it out; harvest verifies that the tests are withheld")


def _read_back(subject: Subject, private: list[str]) -> Iterator[Diagnostic]:
    spec = subject.spec
    for key in each(spec.endpoints):
        endpoint = spec.endpoints[key]
        for condition in endpoint.where:
            hidden = sorted(_HIDDEN & set(reads(condition.tree)))
            if hidden:
                summary = f"endpoint `{key}` reads {quoted(hidden)}, and `{private[0]}` is private"
                hint = f"an endpoint may read: {quoted(sorted(SHOWN | set(TASK_FACTS)))}"
                yield fault("P314", summary, condition.span, hint=hint)
        by = endpoint.interval.options.get("by") if endpoint.interval is not None else None
        if by in _HIDDEN:
            span = subject.at("endpoints", key, "interval")
            yield fault("P314", f"endpoint `{key}` groups tasks by `{by}`, and `{private[0]}` is private", span)
    for key in each(spec.collect):
        if spec.collect[key].type == "text":
            summary = f"`{key}` is a text from the workspace, and `{private[0]}` is private"
            hint = "collect a count or a bool; the ledger holds what is collected"
            yield fault("P315", summary, subject.key("collect", key), hint=hint)


def _no_wall(subject: Subject, name: str) -> Iterator[Diagnostic]:
    """Warn where an agent that is a program may run without a wall between it and the store."""
    sandbox = subject.spec.sandbox
    if sandbox is None or all(arm.agent.kind in SCRIPTED for arm in resolve(subject.spec)):
        return
    tried = sandbox.options.get("of", ()) if sandbox.kind == "first-available" else (sandbox.kind,)
    if isinstance(tried, Sequence) and "local" in tried:
        summary = f"`{name}` is private, and in the sandbox `local` an agent can read its store"
        hint = "sandbox: {kind: bubblewrap}"
        yield fault("P312", summary, subject.key("sandbox"), hint=hint, severity="warning")


def _not_withheld(subject: Subject, name: str, checks: Mapping[str, Choice | Expression]) -> Iterator[Diagnostic]:
    for key in each(checks):
        check = checks[key]
        of = check.options.get("of") if isinstance(check, Choice) and check.kind == "tests" else None
        if of in _WITHHELD:
            span = subject.at("tasks", name, "oracle", "checks", key)
            summary = f"`of: {of}` is about withheld tests, and the source of `{name}` withholds none"
            yield fault("P316", summary, span, hint="of: fail-to-pass or pass-to-pass; `kind: issues` withholds tests")
