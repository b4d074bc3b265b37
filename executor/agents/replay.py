"""The replay agent: plays a recording again, its calls made for real; where the world answers differently it says so. Never evidence."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

from compiler.plan import AgentPlan
from executor.agents import stream
from executor.agents.conversation import Told, converse
from executor.agents.player import DivergedError, Player
from executor.agents.recordings import GO_ON, McpCall, RecordedTurn, Recording, read_recording
from executor.measures import REPORTED
from executor.ports import AgentEnd, AgentOrder, Sandbox
from executor.treatments import Treatment
from executor.turns import FAMILIES, Steps
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_VERSION = "1"


class ReplayAgent:
    """Plays ``recordings/TASK/ARM/SEED.json``, else ``TASK/ARM.json``, else ``TASK.json``: a turn for each thing that it is told."""

    kind: ClassVar[str] = "replay"
    simulated: ClassVar[bool] = True
    steps: ClassVar[Steps] = Steps(say=True, new_run=True, cancel=FAMILIES, refuse=FAMILIES, repairs=True)
    needs_reference: ClassVar[bool] = False
    measures: ClassVar[frozenset[str]] = frozenset(REPORTED)

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Give the version that the plan names for what was recorded, else the player's."""
        del sandbox
        return {"agent": agent.version or _VERSION}

    def takes(self, agent: AgentPlan) -> frozenset[Treatment]:
        """Servers: its calls of their tools are real ones."""
        del agent
        return frozenset({"mcp"})

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """It starts no program of its own; model and flags are what could differ between arms."""
        return ("replay", "--model", agent.model or "", *flags)

    def run(self, order: AgentOrder) -> AgentEnd:
        """Play every turn. A step that comes out otherwise is a divergence: the attempt is no outcome."""
        recording = read_recording(_find(order))
        session = _session(order, recording)
        turns = enumerate(recording.turns, 1)

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            del before, name
            number, turn = next(turns, (0, None))
            if turn is None:
                said = f"it is told more than its recording has turns, which is {len(recording.turns)}"
                return Told(end=_failed(said), seconds=Decimal(0))
            return _told(Player(order=asked, turn=turn, number=number), turn, session)

        end = converse(order, tell)
        return end if end.failed is not None else replace(end, measures={**end.measures, **recording.measures})


def _told(player: Player, turn: RecordedTurn, session: Mapping[str, Plain]) -> Told:
    try:
        answer = player.play()
    except DivergedError as diverged:
        said = f"step {player.place} diverged from its recording: {diverged}"
        where = "" if player.number == 1 else f"turn {player.number}, "
        end = replace(_failed(where + said), events=tuple(player.events))
        return Told(end=end, seconds=player.seconds)
    reason = "cancelled" if player.was_cancelled and turn.when_cancelled != GO_ON else "completed"
    events = player.events if answer is None else [*player.events, stream.result(reason, answer)]
    end = AgentEnd(
        ended="cancelled" if player.was_cancelled else "finished",
        result_event=True,
        terminal_reason=reason,
        answer=answer,
        measures={"left_running": player.left_running, **turn.measures},
        reasons=dict.fromkeys(REPORTED, "the recording does not say"),
        session=session,
        events=tuple(events),
    )
    return Told(end=end, seconds=player.seconds)


def _session(order: AgentOrder, recording: Recording) -> Mapping[str, Plain]:
    """Give what the recording says of itself; of servers that are there now, whether they are."""
    if not order.mcp:
        return recording.session
    player = Player(order=order, turn=recording.turns[0], number=0)
    servers: list[Plain] = []
    for server in order.mcp:
        tools = player.ask(server, McpCall(server=server.name)).get("tools")
        connected = isinstance(tools, list) and set(server.tools) <= set(map(str, tools))
        servers.append({"name": server.name, "status": "connected" if connected else "failed"})
    return {**recording.session, "mcp_servers": servers}


def _failed(why: str) -> AgentEnd:
    return AgentEnd(
        ended="error",
        result_event=False,
        terminal_reason="diverged",
        answer=None,
        measures={"cost": Decimal(0)},
        failed=("replay", why),
    )


def _find(order: AgentOrder) -> Path:
    folder = (order.base or Path()) / str(order.agent.options.get("recordings", ""))
    names = (f"{order.task}/{order.arm}/{order.seed}.json", f"{order.task}/{order.arm}.json", f"{order.task}.json")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    what = f"there is no recording of {order.trial}"
    raise WorldFault(Fault(code="no-recording", what=what, expected=" or ".join(names), where="agent.recordings"))
