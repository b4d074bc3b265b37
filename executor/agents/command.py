"""Any program as an agent: its command line with the prompt filled in, and what it says of itself read from JSON on stdout."""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

from compiler.plan import AgentPlan
from executor.agents.conversation import Told, converse
from executor.agents.jobs import Ran, ending, fill, inside, run_job
from executor.agents.printed import read_events, show_line
from executor.agents.watching import with_cancel
from executor.mcp_document import FILE, mcp_document
from executor.ports import AgentEnd, AgentOrder, Network, Sandbox
from executor.treatments import ModelAccess, Treatment
from executor.turns import FAMILIES, Steps
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

RESULT: Mapping[str, str] = {
    "answer": "result",
    "terminal_reason": "terminal_reason",
    "error": "is_error",
    "cost": "total_cost_usd",
    "turns": "num_turns",
    "input_tokens": "usage.input_tokens",
    "output_tokens": "usage.output_tokens",
    "cache_read": "usage.cache_read_input_tokens",
    "cache_write": "usage.cache_creation_input_tokens",
}
"""Where ``claude -p --output-format json`` and its like say things, by fact: dotted paths into the result document."""
_SESSION = ("version", "model", "mcp_servers", "tools", "skills")
_TEXT = frozenset({"answer", "terminal_reason", "error", *_SESSION})
_TOKENS = frozenset({"input_tokens", "output_tokens", "cache_read", "cache_write"})
_COUNTED = frozenset({"tool_calls", "tool_errors", "calls_before_first_edit"})
_PROMPT_FILE, _SETTINGS = "prompt.txt", "settings.json"
_SYSTEM = ("/usr/", "/bin/", "/sbin/")


class CommandAgent:
    """Runs ``run`` with ``{prompt}``, ``{prompt_file}`` and ``{model}`` filled in; no shell reads it.

    ``{mcp_config}`` and ``{settings}`` are files in its home that hold what the arm's provider hands over: the servers in the common form
    (``mcpServers``), the settings as JSON. ``{model_url}`` is where the harness's proxy takes requests to the model.

    ``result`` names where facts stand in the JSON document that the program prints (fact → dotted path; the last JSON document on stdout
    that is an object counts). Without a document there is no result event, and every fact is unknown. ``result: {}`` says that the
    program prints none: then ending with code 0 is its result. With ``events: true`` it prints what it does as well (see ``printed``).
    """

    kind: ClassVar[str] = "command"
    simulated: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = False
    network: ClassVar[Network] = "open"
    measures: ClassVar[frozenset[str]] = frozenset(
        {*RESULT, "tokens", "left_running"} - {"answer", "terminal_reason", "error"}
    )

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Give the digest of the program's file. Raises WorldFault (``program-missing``) when it is not there."""
        del sandbox
        program = _argv(agent)[0]
        found = shutil.which(program)
        if found is None:
            if "/" in program:
                return {}  # a program of the workspace or of the task's environment: the sandbox will find it, or say so
            what = f"there is no program {program!r}"
            hint = "put it on PATH, executable, in a folder of its own; beside the spec it is not found"
            raise WorldFault(Fault(code="program-missing", what=what, where="agent.run", hint=hint))
        content = Path(found).resolve().read_bytes()
        return {f"program {Path(program).name}": f"sha256:{hashlib.sha256(content).hexdigest()}"}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command line with ``{prompt}`` and ``{model}`` in place."""
        return (*_argv(agent), *flags)

    def environment(self, agent: AgentPlan) -> Mapping[str, str]:
        """Give the variables that are set, with places such as ``{model_url}`` in them."""
        return _texts(agent.options.get("env"))

    def takes(self, agent: AgentPlan) -> frozenset[Treatment]:
        """Say what its command line has a place for."""
        said = (*_argv(agent), *self.environment(agent).values())
        places: tuple[tuple[Treatment, str], ...] = (("mcp", "{mcp_config}"), ("settings", "{settings}"))
        return frozenset(name for name, place in places if any(place in each for each in said))

    def access(self, agent: AgentPlan) -> ModelAccess | None:
        """Read ``api``: where its model is, and which variable of the host holds the key."""
        said = _texts(agent.options.get("api"))
        if not {"base_url", "base_url_env"} & said.keys():
            return None
        return ModelAccess(
            url=said.get("base_url", ""),
            url_from=said.get("base_url_env"),
            credential=said.get("key_env"),
            header=said.get("header", "authorization"),
            scheme="Bearer " if said.get("header", "authorization").lower() == "authorization" else "",
        )

    def reports(self, agent: AgentPlan) -> frozenset[str]:
        """Name what the result document holds, as its option ``result`` says, and what is counted in the events that it prints."""
        found = frozenset(_paths(agent)) - {"answer", "terminal_reason", "error"}
        whole = {"tokens"} if found.issuperset(_TOKENS) else set[str]()
        return found | whole | {"left_running"} | (_COUNTED if self.shows_work(agent) else set[str]())

    def shows_work(self, agent: AgentPlan) -> bool:
        """Say whether it prints what it does (``events``)."""
        return agent.options.get("events") is True

    def steps(self, agent: AgentPlan) -> Steps:
        """It can be run anew; and cancelled, where it shows its calls while it runs."""
        return Steps(new_run=True, repairs=True, cancel=FAMILIES if self.shows_work(agent) else frozenset())

    def run(self, order: AgentOrder) -> AgentEnd:
        """Run the program to its end; for a new run, or to be told that its result does not pass, it is started again."""

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            del before  # how any program takes a conversation up again, nobody knows
            ran = self._run(asked, name)
            output = ran.stdout.read_bytes()
            shown, rest = read_events(output) if self.shows_work(asked.agent) else ((), output)
            if ran.watch is not None:
                shown = with_cancel(shown, ran.watch)
            end = replace(_read(ran, _paths(asked.agent), rest), events=shown)
            if self.shows_work(asked.agent) and not shown:
                # Whether it called nothing, or does not speak as it promised, nobody can tell.
                end = replace(end, reasons={**dict.fromkeys(_COUNTED, "the agent printed no event"), **end.reasons})
            return Told(end=end, seconds=ran.end.seconds)

        return converse(order, tell)

    def _run(self, order: AgentOrder, name: str) -> Ran:
        asked, settings = order.home / _PROMPT_FILE, order.home / _SETTINGS
        asked.write_text(order.prompt, "utf-8")
        (order.home / FILE).write_bytes(mcp_document(order.mcp))
        settings.write_text(json.dumps(dict(order.settings), indent=1) + "\n", "utf-8")
        filled = {
            "{mcp_config}": inside(order, order.home / FILE),
            "{settings}": inside(order, settings),
            "{model_url}": order.model_url or "",
            "{prompt}": order.prompt,
            "{prompt_file}": inside(order, asked),
            "{model}": order.agent.model or "",
        }
        program, *rest = (fill(each, filled) for each in self.command(order.agent, order.flags))
        found = _found(program)
        beside = () if found is None else (str(Path(found).parent),)
        env = {name: fill(value, filled) for name, value in self.environment(order.agent).items()}
        shows = show_line if self.shows_work(order.agent) else None
        return run_job(order, (found or program, *rest), name=name, env=env, path=beside, shows=shows)


def _found(name: str) -> str | None:
    """Find a program that stands outside the system's folders, so that its own folder can be shown to the sandbox."""
    found = shutil.which(name) if "/" not in name else None
    return None if found is None or found.startswith(_SYSTEM) else found


def _argv(agent: AgentPlan) -> tuple[str, ...]:
    said = agent.options.get("run")
    if isinstance(said, str) or not isinstance(said, Sequence) or not said:
        raise WorldFault(Fault(code="agent", what="a command agent needs its command line", where="agent.run"))
    return tuple(str(each) for each in said)


def _texts(said: Plain) -> dict[str, str]:
    return {name: str(value) for name, value in said.items()} if isinstance(said, Mapping) else {}


def _paths(agent: AgentPlan) -> dict[str, str]:
    said = agent.options.get("result")
    return dict(RESULT) if said is None else _texts(said)


def _read(ran: Ran, paths: Mapping[str, str], printed: bytes) -> AgentEnd:
    document = None if not paths else last_object(printed)
    plain_end = not paths and ran.end.exit_code == 0
    found = {name: _at(document, path) for name, path in paths.items()}
    why = "the program printed no result document" if document is None else "the result document does not say"
    measures: dict[str, int | Decimal | bool | None] = {"left_running": ran.end.left_running}
    for name in (*CommandAgent.measures, *found):
        if name not in _TEXT and name != "left_running":
            measures[name] = _number(found.get(name))
    terminal = _text(found.get("terminal_reason"))
    if terminal is None and found.get("error") is True:
        terminal = "error"
    has_result = plain_end or (document is not None and ran.end.stopped_by is None)
    ended = ending(ran.end, result=has_result)
    return AgentEnd(
        ended="error" if ended == "finished" and found.get("error") is True else ended,
        result_event=has_result,
        terminal_reason=terminal,
        answer=_text(found.get("answer")),
        measures=measures,
        reasons=dict.fromkeys((*measures, "terminal_reason"), why),
        session={name: _plain(found[name]) for name in _SESSION if found.get(name) is not None},
        artefacts={"stdout": ran.stdout, "stderr": ran.stderr},
    )


def last_object(output: bytes) -> Mapping[str, object] | None:
    """Give the last JSON object that program output holds: the whole of it, or the last line that is one."""
    text = output.decode("utf-8", "replace").strip()
    for candidate in (text, *reversed(text.splitlines())):
        if not candidate.lstrip().startswith(("{", "[")):
            continue
        try:
            found = json.loads(candidate, parse_float=Decimal)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list):  # a list of events: the result is its last object
            found = next((each for each in reversed(found) if isinstance(each, dict)), None)
        if isinstance(found, dict):
            return found
    return None


def _at(document: object, path: str) -> object:
    for part in path.split("."):
        if isinstance(document, Mapping) and part in document:
            document = document[part]
        elif isinstance(document, list) and part.isdigit() and int(part) < len(document):
            document = document[int(part)]
        else:
            return None
    return document


def _number(value: object) -> int | Decimal | bool | None:
    """Give a number or a truth; anything else, and what is not finite, is unknown."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _plain(value: object) -> Plain:
    """Give what a program says of itself as plain data: names, lists and objects of them; anything else is written out."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return value if value is None or isinstance(value, bool | str) else str(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
