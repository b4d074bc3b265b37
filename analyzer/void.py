"""One run, one set of tools: a ledger whose outcomes come from several versions of a tool is a partly refreshed matrix, and void."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from analyzer.frame import Frame, Row
from analyzer.gather import bounded
from compiler.plan import AnalysisPlan
from ledger.errors import Fault, IntegrityFault

OF_ENVIRONMENT = frozenset({"python", "environment"})
"""Versions of what a task's set has installed: sets may ask for several, all arms find the same."""
ROUTE = "cost route"
"""By which route an outcome's cost was measured; it must be the plan's."""
_SHOWN = 10


def refuse_void(plan: AnalysisPlan, frame: Frame) -> None:
    """Refuse outcomes that different versions of one tool gave, or whose costs were measured by another route than the plan's.

    1. Within an arm every program has one version.
    2. Arms with the same tool have it in the same version, and all arms run in the same sandbox.
    3. Within a set of tasks all arms find the same environment.

    Raises:
        IntegrityFault: ``versions-mixed`` names the trials of the version that is not that of most; ``route-mixed`` those of a route.
    """
    rows = [row for row in frame.rows if row.outcome is not None]
    faults = [*_of_tools(plan, rows), *_of_environments(plan, rows), *_of_routes(plan, rows)]
    if faults:
        raise IntegrityFault(*bounded(faults))


def _of_tools(plan: AnalysisPlan, rows: Sequence[Row]) -> Iterator[Fault]:
    own = [
        fault
        for arm in plan.arms
        for fault in _mixed(f"the programs of {arm}", (row for row in rows if row.trial.arm == arm), _of_arm)
    ]
    yield from own
    if own:
        return  # what is mixed within arms is mixed between them too, and need not be told twice
    for group in plan.same_tool:
        mine = (row for row in rows if row.trial.arm in group)
        yield from _mixed(f"the one tool of {', '.join(group)}", mine, _of_agent)
    yield from _mixed("the sandbox of the run", rows, lambda name: name == "sandbox")


def _of_environments(plan: AnalysisPlan, rows: Sequence[Row]) -> Iterator[Fault]:
    sets = {task.id: task.set for task in plan.tasks}
    for name in sorted(set(sets.values())):
        mine = (row for row in rows if sets[row.trial.task] == name)
        yield from _mixed(f"the environment of the set {name}", mine, OF_ENVIRONMENT.__contains__)


def _of_arm(name: str) -> bool:
    return name not in OF_ENVIRONMENT and name != ROUTE


def _of_agent(name: str) -> bool:
    """Whether an agent or its harness gives a version under this name; what an arm's provider brings may differ between arms."""
    return name == "agent" or name.startswith("program ")


def _mixed(what: str, rows: Iterable[Row], counts: Callable[[str], bool]) -> Iterator[Fault]:
    said = [(row.trial, row.outcome.versions) for row in rows if row.outcome is not None]
    found: dict[str, set[str]] = {}
    for _, versions in said:
        for name, version in versions.items():
            found.setdefault(name, set()).add(version)
    for name in sorted(name for name, several in found.items() if len(several) > 1 and counts(name)):
        trials: dict[str, list[str]] = {}
        for trial, versions in said:
            if name in versions:
                trials.setdefault(versions[name], []).append(trial.id)
        yield _fault("versions-mixed", f"{what} changed within the run: {name}", trials, _HINT)


def _of_routes(plan: AnalysisPlan, rows: Sequence[Row]) -> Iterator[Fault]:
    prices = plan.routes.get("prices")
    planned = plan.routes.get("cost", "agent-result") + ("" if prices is None else f", prices {prices}")
    odd = Counter(str(said) for row in rows if (said := _route(row)) not in (None, planned))
    for route in sorted(odd):
        trials = [row.trial.id for row in rows if _route(row) == route]
        yield Fault(
            code="route-mixed",
            what="costs were measured by another route than the registered one",
            expected=planned,
            got=f"{route}: {_listed(trials)}",
            where="ledger.jsonl: outcome.versions",
            hint="routes never mix: carry the registration out as a new run",
        )


def _route(row: Row) -> str | None:
    return None if row.outcome is None else row.outcome.versions.get(ROUTE)


def _fault(code: str, what: str, versions: Mapping[str, Sequence[str]], hint: str) -> Fault:
    most = max(versions, key=lambda each: (len(versions[each]), each))
    others = "; ".join(f"{each}: {_listed(versions[each])}" for each in sorted(versions) if each != most)
    return Fault(
        code=code,
        what=f"{what}, so this matrix is void",
        expected=f"{most}, as in {len(versions[most])} trials",
        got=others,
        where="ledger.jsonl: outcome.versions",
        hint=hint,
    )


def _listed(trials: Sequence[str]) -> str:
    more = len(trials) - _SHOWN
    return ", ".join(trials[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


_HINT = "carry the registration out again as a new run, every trial of it with one version of each tool"
