"""What so few tasks carry: below the floor of exact paired tests no comparison, ratio, percentage or ranking, only existence claims."""

from collections.abc import Iterator

from compiler.checks.design import FEWEST_FOR_SHARES, designs
from compiler.checks.rule import deciding_sets, read_in
from compiler.checks.subject import Key, Subject, fault, quoted
from compiler.checks.supports import Design
from spec_lang.diagnostics import Diagnostic, Severity
from spec_lang.expr.ast import Arithmetic, Call, Comparison, Expression, Name, Not, children, walk
from spec_lang.expr.ast import Node as Tree
from spec_lang.expr.wording import literal
from spec_lang.span import Span

CODES = {
    "P319": "a comparison or ranking of arms over too few tasks",
    "P364": "a percentage or ratio over too few tasks",
}

LABELLED = frozenset({"smoke", "pilot"})
"""Stages whose results are no evidence for any claim and say so everywhere: there it is a warning."""

CHANCES = frozenset({"mean", "pass-at-k", "pass-hat-k"})
"""Ways of bringing seeds together that make a share of a yes or no."""


def check_carries(subject: Subject) -> Iterator[Diagnostic]:
    """Nothing is worked out over more than its tasks carry.

    With fewer than six tasks no table could give an exact paired two-sided p below 0.05, so that no difference could ever be told
    from chance, and one task moves a share by more than sixteen points. What is left is what was shown to exist on each instance.
    """
    known = designs(subject, deciding_sets(subject))
    if known is None:
        return
    small = {name: each for name, each in known.items() if each.tasks < FEWEST_FOR_SHARES}
    severity: Severity = "warning" if subject.spec.stage in LABELLED else "error"
    for name in sorted(small):
        if name in subject.spec.endpoints:
            yield from _endpoint(subject, name, small[name], severity)
    for condition in (*subject.spec.decision.decidable_when, *subject.spec.decision.supported_when):
        yield from _ranked(subject, condition, small, severity)
    if severity == "error":
        yield from _one_and_not_the_other(subject, small)


def _endpoint(subject: Subject, name: str, design: Design, severity: Severity) -> Iterator[Diagnostic]:
    endpoint, tasks = design.endpoint, design.tasks
    if endpoint.compare is not None:
        # In a stage that is labelled, a comparison over few tasks tries out the harness; the report says that it shows nothing.
        if severity == "error":
            ratio = "a ratio of arms" if "/" in endpoint.compare.text else "a comparison of arms"
            instead = f"claim what exists: {name}.count(ARM) >= 1 task" if design.is_bool else "show: each-task"
            hint = f"leave `compare` out and {instead}; or register {FEWEST_FOR_SHARES} tasks"
            yield fault(
                "P319", f"`{name}` is {ratio} over {_tasks(tasks)}", endpoint.compare.span, detail=WHY, hint=hint
            )
        return
    expression = endpoint.per_arm
    if expression is not None and ("share(" in expression.text or "/" in expression.text):
        kind = "percentage" if "share(" in expression.text else "ratio"
        summary = f"`{name}` is a {kind} over {_tasks(tasks)}"
        yield _percentage(summary, expression.span, tasks, severity, None if kind == "percentage" else WHY)
    elif expression is not None and _scaled(expression.tree):
        yield _percentage(f"`{name}` scales a count of {_tasks(tasks)}", expression.span, tasks, severity)
    elif design.is_bool and endpoint.per_task in CHANCES and severity == "error":
        yield _percentage(f"`{name}` is a share over {_tasks(tasks)}", _at(subject, name, "per_task"), tasks, severity)


def _percentage(summary: str, span: Span, tasks: int, severity: Severity, why: str | None = None) -> Diagnostic:
    why = why or f"one of {tasks} tasks moves a share by {100 / max(tasks, 1):.0f} points"
    return fault("P364", summary, span, detail=why, hint="report a count: count(…)", severity=severity)


def _ranked(
    subject: Subject, condition: Expression, small: dict[str, Design], severity: Severity
) -> Iterator[Diagnostic]:
    """Find comparisons that set one arm's value against another's: that is a ranking, whatever it is called."""
    if severity != "error":
        return
    for node in _comparisons(condition.tree):
        read = [each for each in read_in(node, subject.endpoints) if each.endpoint in small]
        arms = sorted({each.arm for each in read if each.arm is not None})
        if len(arms) > 1:
            tasks = small[read[0].endpoint].tasks
            summary = f"{quoted(arms)} are ranked over {_tasks(tasks)}"
            hint = f"ask of each arm alone: {read[0].endpoint}.count({arms[0]}) >= 1 task"
            yield fault("P319", summary, condition.where(node), detail=WHY, hint=hint)


def _scaled(tree: Tree) -> bool:
    """Say whether a count is multiplied, as whoever wants a percentage after all would do."""
    return any(
        isinstance(node, Arithmetic)
        and node.sign == "*"
        and any(isinstance(part, Call) and part.name.text == "count" for part in walk(node))
        for node in walk(tree)
    )


def _one_and_not_the_other(subject: Subject, small: dict[str, Design]) -> Iterator[Diagnostic]:
    """Find a rule that wants at least so much of one arm and at most so much of another: a ranking in two halves."""
    least: set[str] = set()
    most: list[tuple[str, str, Span]] = []
    for condition in subject.spec.decision.supported_when:
        for node, denied in _bounds(condition.tree):
            read = [each for each in read_in(node, subject.endpoints) if each.endpoint in small and each.arm]
            if len({each.arm for each in read}) != 1 or read[0].arm is None or read[0].field == "n":
                continue
            if _is_floor(node, left=bool(list(read_in(node.left, subject.endpoints)))) is not denied:
                least.add(read[0].arm)
            else:
                most.append((read[0].arm, read[0].endpoint, condition.where(node)))
    for arm, endpoint, span in most:
        others = sorted(least - {arm})
        if others:
            summary = f"{quoted(others)} and `{arm}` are ranked over {_tasks(small[endpoint].tasks)}"
            hint = f"claim what exists, of each arm alone: {endpoint}.count({others[0]}) >= 1 task"
            yield fault("P319", summary, span, detail=WHY, hint=hint)


def _bounds(node: Tree, *, denied: bool = False) -> Iterator[tuple[Comparison, bool]]:
    if isinstance(node, Comparison):
        yield node, denied
    elif isinstance(node, Not):
        yield from _bounds(node.operand, denied=not denied)
    elif not isinstance(node, Name):
        for part in children(node):
            yield from _bounds(part, denied=denied)


def _is_floor(node: Comparison, *, left: bool) -> bool:
    """Say whether a comparison wants much of what it reads, on its ``left`` or its right; one with 0 tasks is about none."""
    if node.sign in ("==", "!="):
        nothing = literal(node.right if left else node.left) == 0
        return nothing is (node.sign == "!=")
    return node.sign in ((">", ">=") if left else ("<", "<="))


def _comparisons(node: Tree) -> Iterator[Tree]:
    if isinstance(node, Comparison):
        yield node
    elif not isinstance(node, Name):
        for part in children(node):
            yield from _comparisons(part)


def _at(subject: Subject, name: str, *path: Key) -> Span:
    return subject.at("endpoints", name, *path)


def _tasks(count: int) -> str:
    return f"{count} task{'' if count == 1 else 's'}"


WHY = (
    f"below {FEWEST_FOR_SHARES} tasks no result could give an exact paired two-sided p under 0.05: "
    "what exists can be shown, which arm is better cannot"
)
