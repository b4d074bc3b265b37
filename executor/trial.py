"""The life of one trial's attempt, from the starting tree to what was observed. Claiming and remembering it is the run's part."""

import os
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from executor.attempt import InvalidError, Notebook, Observed, TrialOrder
from executor.collect import collect
from executor.cost_route import NAMED, by_route
from executor.environments import Environment
from executor.evidence import keep_events, keep_recording, with_usage
from executor.expectations import unexpected
from executor.hiding import clean_path
from executor.measures import agent_measures, change_measures
from executor.ports import AgentEnd, AgentOrder, Prepared, Workspace
from executor.programs import SYSTEM_PATH, absent
from executor.redact import redact_text
from executor.rounds import Rounds, ungraded
from executor.scratch import own_folder
from executor.storable import storable_end
from executor.telling import told
from executor.treatment import prepare
from executor.way_out import WayOut, way_out
from executor.workspace import open_workspace, template
from ledger.canonical import canonical, digest
from ledger.errors import WorldFault
from ledger.plain import Plain


def carry_out(order: TrialOrder) -> Observed:
    """Carry one attempt out. Whatever the world does is in what is returned; only integrity faults and bugs are raised."""
    notebook = Notebook(order=order)
    notebook.measures, notebook.reasons = ungraded(order, "no agent ran")
    order.scratch.mkdir(parents=True, exist_ok=True)
    try:
        with own_folder(order.scratch, "trial") as folder:
            return _live(order, folder, notebook)
    except InvalidError as found:
        notebook.measures["environment_ok"] = False
        observed = notebook.observed("invalid")
        return replace(observed, detail=found.detail, expected=found.expected, got=found.got)
    except WorldFault as fault:
        first = fault.reasons[0]
        detail = first.what if first.got is None else f"{first.what}: {first.got}"
        detail = redact_text(detail[:1000], order.secrets.items())
        return replace(notebook.observed("failed"), code=first.code, detail=detail)
    except OSError as problem:
        return replace(notebook.observed("failed"), code="os", detail=str(problem))


def _live(order: TrialOrder, folder: Path, notebook: Notebook) -> Observed:
    # 1. The claim stands in the ledger already. A task that this machine cannot carry out is skipped.
    missing = absent(order.task.requires, order.environment)
    if missing:
        notebook.ended = "skipped"
        notebook.measures, notebook.reasons = ungraded(order, f"skipped: there is no {', '.join(missing)}")
        return notebook.observed("skipped")

    # 2. The workspace: the given tree as a one-commit repository, nothing held out.
    notebook.step = "workspace"
    start = template(order.material.get(order.task.given), order.cache)
    with open_workspace(start, folder) as workspace:
        notebook.copied = workspace.copied

        # 3. The provider prepares; only the files it declares may differ, and none may hold the answer.
        notebook.step = "provider"
        home = _private_home(folder)
        prepared, own_files = prepare(order, workspace, home, notebook)

        # 4. The agent works in its sandbox, within its limits. 6. Whatever it left running is dead when it returns.
        notebook.step = "agent"
        rounds = Rounds(
            order=order, start=start, workspace=workspace, own_files=own_files, folder=folder, notebook=notebook
        )
        end, first = _work(order, rounds, home, prepared)

        # 5. What it said of itself is what was registered.
        notebook.step = "session"
        _assert_session(order, end, prepared, first, notebook)
        if end.failed is not None:
            return replace(notebook.observed("failed"), code="agent", step=end.failed[0], detail=end.failed[1][:1000])

        # 7. The change, taken out by the harness's own git; facts that the spec collects.
        change = rounds.capture()
        notebook.measures |= change_measures(change.changed, order.task.gold_files)
        collected, reasons = collect(order.collect, workspace.root)
        notebook.measures |= {name: _redacted(value, order) for name, value in collected.items()}
        notebook.reasons |= reasons

    # 8. Grading, in a fresh copy that the agent never touched.
    checks = rounds.checks(end, change)
    rounds.note()

    # 9. The artefacts are stored, redacted. 10. The outcome is the run's to remember.
    notebook.reasons = {name: why for name, why in notebook.reasons.items() if notebook.measures.get(name) is None}
    return replace(notebook.observed("graded"), checks=checks)


def _private_home(folder: Path) -> Path:
    home = folder / "home"
    home.mkdir(mode=0o700)
    return home


def _work(order: TrialOrder, rounds: Rounds, home: Path, prepared: Prepared) -> tuple[AgentEnd, bytes | None]:
    """Run the agent inside the harness's own time bracket, and note what it measured and left; gives its first request too, if seen."""
    notebook, workspace, folder = rounds.notebook, rounds.workspace, rounds.folder
    versions = order.agent.versions(order.arm.agent, order.sandbox)
    notebook.versions |= {"sandbox": order.sandbox.kind, **_environment_versions(order.environment), **versions}
    notebook.versions[NAMED] = order.routes.name
    artefacts = folder / "artefacts"
    artefacts.mkdir()
    with way_out(order, prepared, folder) as way:
        asked = _agent_order(order, workspace, folder, home, artefacts, prepared, way)
        if order.repairs is not None:
            asked = replace(asked, then=rounds.then)
        notebook.measures["cost"] = None  # from here on money may be spent
        notebook.reasons["cost"] = "the agent did not come to an end"
        begin = time.monotonic()
        end = storable_end(order.agent.run(asked))
        taken = Decimal(repr(time.monotonic() - begin)) - rounds.seconds
        seconds = taken.quantize(Decimal("0.001"))
    end = by_route(with_usage(end, way.recording), order.routes, order.arm.agent, way.recording)
    keep_recording(way.recording, notebook, workspace.root, home)
    keep_events(end, notebook, workspace.root, home)
    notebook.ended = end.ended
    notebook.versions |= end.versions
    drawn = end.measures.get("time") if order.agent.simulated else None  # what a simulated trial would have taken
    notebook.measures, notebook.reasons = agent_measures(end, drawn if isinstance(drawn, Decimal) else seconds)
    for name, path in end.artefacts.items():
        if path.is_file() and not path.is_symlink():
            notebook.keep(name, path.read_bytes())
    if end.answer is not None:
        notebook.keep("answer", end.answer.encode())
    return end, way.recording.first if way.recording is not None else None


def _agent_order(
    order: TrialOrder, workspace: Workspace, folder: Path, home: Path, artefacts: Path, prepared: Prepared, way: WayOut
) -> AgentOrder:
    pool = order.material
    first, *rest = told(order)
    needs = order.agent.needs_reference
    reference = pool.get(order.task.reference) if needs and order.task.reference else None
    answer = pool.get(order.task.answer).decode("utf-8") if needs and order.task.answer else None
    brought = (*prepared.path, *map(str, order.environment.path))
    env = {**order.arm.env, **prepared.env, **way.env}
    if order.arm.hide_from_path:
        # What the provider itself brought stays in sight; only the host's own copies are hidden, from every arm.
        host = clean_path((*map(str, order.environment.path), *SYSTEM_PATH), order.arm.hide_from_path, folder)
        brought = (*prepared.path, *host)
        env["PATH"] = os.pathsep.join(brought)
    return AgentOrder(
        trial=order.trial.id,
        task=order.trial.task,
        arm=order.trial.arm,
        seed=order.trial.seed,
        attempt=order.retries + 1,  # so that a run comes out alike whatever the world lost on the way
        agent=order.arm.agent,
        prompt=first.prompt,
        workspace=workspace.root,
        home=home,
        artefacts=artefacts,
        sandbox=way.sandbox,
        network=order.network,
        env=env,
        path=brought,
        flags=order.arm.flags,
        reference=reference,
        answer=answer,
        mounts=order.environment.mounts,
        base=order.base,
        mcp=way.mcp,
        settings=prepared.settings,
        model_url=way.model_url,
        cancel=first.cancel,
        refuse=first.refuse,
        turns=tuple(rest),
    )


def _environment_versions(environment: Environment) -> dict[str, str]:
    named = {name: environment.versions[name] for name in ("python", "node") if name in environment.versions}
    return {**named, "environment": digest(canonical(dict(environment.versions)))}


def _assert_session(
    order: TrialOrder, end: AgentEnd, prepared: Prepared, first: bytes | None, notebook: Notebook
) -> None:
    expected, got = unexpected(order.arm, end, prepared.mcp, first)
    if expected and (end.session or first is not None):
        raise InvalidError(f"what the agent says of itself differs in {', '.join(expected)}", expected, got)
    if expected and end.failed is None and end.result_event:
        raise InvalidError(f"the agent never said its {', '.join(expected)}", expected, got)
    # An agent that ended before it said anything is no other environment; the registered rules speak of it.
    notebook.measures["environment_ok"] = None if expected else True
    if expected:
        notebook.reasons["environment_ok"] = "the agent ended before it said what it is"


def _redacted(value: Plain, order: TrialOrder) -> Plain:
    return redact_text(value, order.secrets.items()) if isinstance(value, str) else value
