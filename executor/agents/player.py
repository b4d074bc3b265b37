"""Plays one recorded turn: its calls are made for real, and where the world answers otherwise than it did then, that is said."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from executor.agents import stream
from executor.agents.jobs import Ran, inside, run_job
from executor.agents.recordings import FAILED, GO_ON, RUN_ANYWAY, Edit, Instead, McpCall, RecordedTurn, Step
from executor.agents.watching import cancelled, matches, refused
from executor.patches import touched
from executor.ports import AgentEvent, AgentOrder, Mount
from executor.treatments import McpServer
from ledger.errors import WorldFault
from ledger.plain import Plain

DECLINED = "The user declined this call."
"""What came of a call that was refused."""
_CLIENT = Path(__file__).with_name("mcp_call.py")
_CLIENT_INSIDE = "/run/prereg/mcp_call.py"
_PYTHON = Path(sys.base_prefix)
"""The harness's own interpreter runs the client: what stands on a job's PATH belongs to the task."""
_WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"'


class DivergedError(Exception):
    """A step came out otherwise than it was recorded."""


class StoppedError(Exception):
    """The rest of the turn is not played; ``answer`` is what the agent says then."""

    def __init__(self, answer: str | None) -> None:
        super().__init__("stopped")
        self.answer = answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What came of a call. ``differs`` says in what it is not as recorded, or is None."""

    text: str
    error: bool = False
    differs: str | None = None


@dataclass(kw_only=True, slots=True)
class Player:
    """One turn under way. ``place`` counts its steps, for names of files and for what is said of a divergence."""

    order: AgentOrder
    turn: RecordedTurn
    number: int
    events: list[AgentEvent] = field(default_factory=list)
    seconds: Decimal = Decimal(0)
    left_running: int = 0
    was_cancelled: bool = False
    place: int = 0
    jobs: int = 0
    _calls: int = 0
    _seen: int = 0

    def play(self) -> str | None:
        """Play the turn; give its answer. Raises DivergedError."""
        try:
            self._steps(self.turn.steps)
        except StoppedError as stopped:
            return stopped.answer
        return self.turn.answer

    def _steps(self, steps: Sequence[Step], *, heeds: bool = True) -> None:
        for step in steps:
            self.place += 1
            if step.message is not None:
                self.events.append(stream.message(step.message))
                continue
            for one in _each(step):
                self._call(one, heeds=heeds)

    def _call(self, step: Step, *, heeds: bool) -> None:
        """Make a call, unless it is refused; ``heeds``: whether the agent does here what it does when it is refused or cancelled."""
        self._calls += 1
        call = _shown(step, f"call-{self.number}-{self._calls}")
        self.events.append(call)
        declined = self.order.refuse is not None and matches(call, self.order.refuse)
        if declined:
            self.events.append(refused(call))
        if declined and self.turn.when_refused != RUN_ANYWAY:
            self._result(call, Result(text=DECLINED, error=True))
        else:
            result = self._made(step)
            self._result(call, result)
            if result.differs is not None:
                raise DivergedError(result.differs)
        if self._is_cancelled(call):
            self._heed(self.turn.when_cancelled, heeds=heeds)
        elif declined:
            self._heed(self.turn.when_refused, heeds=heeds)

    def _heed(self, said: str | Instead, *, heeds: bool) -> None:
        if isinstance(said, Instead):
            if heeds:
                self._steps(said.steps, heeds=False)
                raise StoppedError(said.answer)
        elif self.was_cancelled and said != GO_ON:
            raise StoppedError(None)

    def _is_cancelled(self, call: AgentEvent) -> bool:
        """Cancel the agent at the call that its order names; a call that it makes is made, so that a recording plays alike each time."""
        plan = self.order.cancel
        if plan is None or self.was_cancelled:
            return False
        self._seen += matches(call, plan.after)
        if self._seen < plan.count:
            return False
        self.was_cancelled = True
        self.events.append(cancelled(plan))
        return True

    def _result(self, call: AgentEvent, result: Result) -> None:
        name = str(call.data["call"])
        self.events.append(stream.tool_result(call=name, error=result.error, text=result.text))

    def _made(self, step: Step) -> Result:
        if step.read is not None:
            return self._read(step, step.read)
        if step.run is not None:
            return self._run(step, step.run)
        if step.patch is not None:
            ran = self._job(("git", "apply", "-"), stdin=step.patch.encode())
            return Result(text="applied") if ran.end.exit_code == 0 else _failed("the patch does not apply", ran)
        if step.mcp is not None:
            return self._mcp(step, step.mcp)
        if step.edit is not None:
            return self._edit(step.edit)
        ((path, text),) = (step.write or {}).items()
        ran = self._job(("sh", "-c", _WRITE, "sh", path), stdin=text.encode())
        return Result(text="written") if ran.end.exit_code == 0 else _failed(f"{path} cannot be written", ran)

    def _edit(self, edit: Edit) -> Result:
        ran = self._job(("cat", "--", edit.path))
        before = ran.stdout.read_bytes()
        old, new = edit.old.encode(), edit.new.encode()
        found = before.count(old) if old and ran.end.exit_code == 0 else 0
        if found == 0 or (found > 1 and not edit.all):
            why = (
                f"{edit.path} holds what was replaced {found} times"
                if ran.end.exit_code == 0
                else f"there is no {edit.path}"
            )
            return Result(text=why, error=True, differs=why)
        ran = self._job(("sh", "-c", _WRITE, "sh", edit.path), stdin=before.replace(old, new))
        return Result(text="replaced") if ran.end.exit_code == 0 else _failed(f"{edit.path} cannot be written", ran)

    def _read(self, step: Step, path: str) -> Result:
        ran = self._job(("cat", "--", path))
        lines = ran.stdout.read_text("utf-8", "replace").splitlines(keepends=True)
        first = max(step.offset or 1, 1) - 1
        text = "".join(lines[first : None if step.limit is None else first + step.limit])
        return _compared(step, text, error=ran.end.exit_code != 0)

    def _run(self, step: Step, argv: tuple[str, ...]) -> Result:
        ran = self._job(argv)
        text, code = ran.stdout.read_text("utf-8", "replace"), ran.end.exit_code
        differs = None
        if step.exit == FAILED and code == 0:
            differs = "exit 0, and it failed when it was recorded"
        elif isinstance(step.exit, int) and code != step.exit:
            differs = f"exit {code}, recorded {step.exit}"
        elif step.stdout is not None and text != step.stdout:
            differs = "its output is not what was recorded"
        return Result(text=text, error=code != 0, differs=differs)

    def _mcp(self, step: Step, call: McpCall) -> Result:
        server = next((each for each in self.order.mcp if each.name == call.server), None)
        if server is None:
            return _compared(step, f"there is no server {call.server}", error=True)
        said = self.ask(server, call)
        if "failed" in said:
            return _compared(step, str(said["failed"]), error=True)
        tools = said.get("tools")
        text = "\n".join(map(str, tools)) if isinstance(tools, list) else str(said.get("text"))
        return _compared(step, text, error=said.get("error") is True)

    def ask(self, server: McpServer, call: McpCall) -> Mapping[str, Plain]:
        """Start a server in the sandbox for one call; give ``{tools}``, ``{text, error}`` or ``{failed}``."""
        if not server.argv:
            return {"failed": "a recording is played without a network: a server at an address is out of reach"}
        passed = {name: self.order.env[name] for name in server.pass_env if name in self.order.env}
        asked: dict[str, object] = {"argv": server.argv, "env": {**server.env, **passed}}
        asked |= {"tool": call.tool, "arguments": dict(call.arguments)}
        python = str(_PYTHON / "bin/python3")
        mounts = [Mount(host=_CLIENT, inside=_CLIENT_INSIDE)]
        if not _PYTHON.is_relative_to("/usr"):
            mounts.append(Mount(host=_PYTHON, inside=str(_PYTHON)))
        client = inside(self.order, _CLIENT, mounts)
        ran = self._job((python, "-I", "-S", client), stdin=json.dumps(asked).encode(), mounts=mounts)
        try:
            said = json.loads(ran.stdout.read_bytes(), parse_float=Decimal)
        except ValueError:
            return {"failed": f"no answer: {ran.stderr.read_text('utf-8', 'replace').strip()[-300:]}"}
        found = stream.plain(said)
        return found if isinstance(found, dict) else {"failed": "no answer"}

    def _job(self, argv: tuple[str, ...], *, stdin: bytes | None = None, mounts: Sequence[Mount] = ()) -> Ran:
        self.jobs += 1
        ran = run_job(self.order, argv, name=f"step-{self.number}-{self.jobs}", stdin=stdin, mounts=mounts)
        self.seconds += ran.end.seconds
        self.left_running += ran.end.left_running
        return ran


def _each(step: Step) -> Iterator[Step]:
    """Give a step that writes several files as one call a file."""
    if step.write is None:
        yield step
        return
    for path, text in step.write.items():
        yield Step(write={path: text}, name=step.name, does=step.does)


def _shown(step: Step, call: str) -> AgentEvent:
    """Show a call as an agent's own stream would."""
    name, does, args = _about(step)
    return stream.tool_call(step.name or name, does=step.does or does, call=call, args=args)


def _about(step: Step) -> tuple[str, str, dict[str, object]]:
    if step.read is not None:
        part = {"offset": step.offset, "limit": step.limit}
        return "read", "read", {"path": step.read, **{key: value for key, value in part.items() if value is not None}}
    if step.run is not None:
        return "run", "shell", {"command": list(step.run)}
    if step.patch is not None:
        paths = _paths(step.patch)
        at: dict[str, object] = {"path": paths[0]} if len(paths) == 1 else {}
        return "patch", "edit", {"patch": step.patch, **at}
    if step.edit is not None:
        return "edit", "edit", {"path": step.edit.path, "old": step.edit.old, "new": step.edit.new}
    if step.mcp is not None and step.mcp.tool is None:
        return "list_tools", "other", {"server": step.mcp.server}
    if step.mcp is not None:
        return f"mcp__{step.mcp.server}__{step.mcp.tool}", "mcp", dict(step.mcp.arguments)
    ((path, text),) = (step.write or {}).items()
    return "write", "edit", {"path": path, "text": text}


def _paths(patch: str) -> tuple[str, ...]:
    """Name the files of a patch; none of one that git cannot read, which will not apply either."""
    try:
        return touched(patch.encode())
    except WorldFault:
        return ()


def _compared(step: Step, text: str, *, error: bool) -> Result:
    differs = None
    if error != step.error:
        differs = (
            "it fails, and did not when it was recorded"
            if error
            else "it failed when it was recorded, and does not now"
        )
    elif step.text is not None and text != step.text:
        differs = "it gives another text than was recorded"
    return Result(text=text, error=error, differs=differs)


def _failed(what: str, ran: Ran) -> Result:
    return Result(text=ran.stderr.read_text("utf-8", "replace"), error=True, differs=what)
