"""One run, one set of tools: a ledger whose outcomes come from several versions of a tool is a partly refreshed matrix, and void."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

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
    said = _Said(plan, rows)
    faults = [*_of_tools(plan, said), *_of_environments(plan, said), *_of_routes(plan, said, rows)]
    if faults:
        raise IntegrityFault(*bounded(faults))


class _Said:
    """Which versions the outcomes of each arm and set of tasks name; which trial said which is looked up only where it matters."""

    def __init__(self, plan: AnalysisPlan, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._sets = {task.id: task.set for task in plan.tasks}
        self._found: dict[tuple[str, str], dict[str, set[str]]] = {}
        last: dict[tuple[str, str], Mapping[str, str]] = {}
        for row in rows:
            place, versions = (row.trial.arm, self._sets[row.trial.task]), _versions(row)
            if last.get(place) == versions:
                continue  # as most trials say the same as the one before
            last[place] = versions
            here = self._found.setdefault(place, {})
            for name, version in versions.items():
                here.setdefault(name, set()).add(version)

    def versions(self, name: str) -> set[str]:
        """Give every version that is told under a name."""
        return {version for versions in self._found.values() for version in versions.get(name, ())}

    def mixed(
        self,
        what: str,
        counts: Callable[[str], bool],
        *,
        arms: Collection[str] | None = None,
        of_set: str | None = None,
    ) -> Iterator[Fault]:
        """Give a fault for every name with several versions; only within some arms, or one set of tasks, where these are given."""

        def here(arm: str, name: str) -> bool:
            return (arms is None or arm in arms) and of_set in (None, name)

        found: dict[str, set[str]] = {}
        for place, versions in self._found.items():
            for name, several in versions.items() if here(*place) else ():
                found.setdefault(name, set()).update(several)
        for name in sorted(name for name, several in found.items() if len(several) > 1 and counts(name)):
            trials: dict[str, list[str]] = {}
            for row in self._rows:
                if name in _versions(row) and here(row.trial.arm, self._sets[row.trial.task]):
                    trials.setdefault(_versions(row)[name], []).append(row.trial.id)
            yield _fault("versions-mixed", f"{what} changed within the run: {name}", trials, _HINT)


def _versions(row: Row) -> Mapping[str, str]:
    return row.outcome.versions if row.outcome is not None else {}


def _of_tools(plan: AnalysisPlan, said: _Said) -> Iterator[Fault]:
    own = [fault for arm in plan.arms for fault in said.mixed(f"the programs of {arm}", _of_arm, arms={arm})]
    yield from own
    if own:
        return  # what is mixed within arms is mixed between them too, and need not be told twice
    for group in plan.same_tool:
        yield from said.mixed(f"the one tool of {', '.join(group)}", _of_agent, arms=group)
    yield from said.mixed("the sandbox of the run", lambda name: name == "sandbox")


def _of_environments(plan: AnalysisPlan, said: _Said) -> Iterator[Fault]:
    for name in sorted({task.set for task in plan.tasks}):
        yield from said.mixed(f"the environment of the set {name}", OF_ENVIRONMENT.__contains__, of_set=name)


def _of_arm(name: str) -> bool:
    return name not in OF_ENVIRONMENT and name != ROUTE


def _of_agent(name: str) -> bool:
    """Whether an agent or its harness gives a version under this name; what an arm's provider brings may differ between arms."""
    return name == "agent" or name.startswith("program ")


def _of_routes(plan: AnalysisPlan, said: _Said, rows: Sequence[Row]) -> Iterator[Fault]:
    prices = plan.routes.get("prices")
    planned = plan.routes.get("cost", "agent-result") + ("" if prices is None else f", prices {prices}")
    for route in sorted(said.versions(ROUTE) - {planned}):
        trials = [row.trial.id for row in rows if _versions(row).get(ROUTE) == route]
        yield Fault(
            code="route-mixed",
            what="costs were measured by another route than the registered one",
            expected=planned,
            got=f"{route}: {_listed(trials)}",
            where="ledger.jsonl: outcome.versions",
            hint="routes never mix: carry the registration out as a new run",
        )


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
