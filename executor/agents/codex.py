"""Codex, headless: ``codex exec --json``; what its stream leaves out is read from the record that it keeps in its private home."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from compiler.plan import AgentPlan
from executor.agents import outcome, stream
from executor.agents.conversation import Told, converse
from executor.agents.drive import (
    NO_COST,
    REPORTED,
    bytes_of,
    credentials,
    drive,
    expanded,
    leaves,
    model_access,
)
from executor.agents.outcome import Measure, Said, complaint, told
from executor.agents.programs import ask, find
from executor.agents.stream import count, part
from executor.ports import AgentEnd, AgentEvent, AgentOrder, JobEnd, Network, Sandbox
from executor.treatments import McpServer, ModelAccess, Treatment
from executor.turns import Steps
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_HINT = "npm install -g @openai/codex@VERSION, and put its folder on PATH"
_KEY, _BASE_URL = "CODEX_API_KEY", "CODEX_BASE_URL"
_SERVICE = "https://api.openai.com/v1"
_PROVIDER = "prereg"
_DOES: Mapping[str, str] = {
    "command_execution": "shell",
    "file_change": "edit",
    "mcp_tool_call": "mcp",
    "web_search": "search",
}
"""Its own tools, and what they do; it reads files by its shell."""
_TOO_LONG = re.compile(r"context (window|length)|input exceeds", re.IGNORECASE)
_REQUIRED = "required MCP servers failed to initialize"
_CONFIG = ".codex/config.toml"


class CodexAgent:
    """Runs ``codex exec``. It has no limit of turns or money of its own: the harness's time limit is what ends it."""

    kind: ClassVar[str] = "codex"
    program: ClassVar[str] = "codex"
    simulated: ClassVar[bool] = False
    steps: ClassVar[Steps] = Steps(say=True, new_run=True, cancel=frozenset(_DOES.values()), repairs=True)
    needs_reference: ClassVar[bool] = False
    network: ClassVar[Network] = "model"
    measures: ClassVar[frozenset[str]] = REPORTED - {"cost"}

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Ask the binary. Raises WorldFault (``program-missing``, ``agent-version``, ``agent``)."""
        return ask(find(self.program, self.kind, _HINT), agent, sandbox, ("--version",))

    def takes(self, agent: AgentPlan) -> frozenset[Treatment]:
        """Servers and settings."""
        del agent
        return frozenset({"mcp", "settings"})

    def access(self, agent: AgentPlan) -> ModelAccess | None:
        """By a bearer token."""
        return model_access(agent, _SERVICE)

    def environment(self, agent: AgentPlan) -> Mapping[str, str]:
        """Give the variable that it is run with."""
        del agent
        return {_KEY: "{key}"}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command line. Its service, and the servers and settings of an arm, become words of it when it runs."""
        return (
            *(self.program, "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"),
            *(() if agent.model is None else ("-m", "{model}")),
            *("{service}", "{servers}", "{settings}", *flags, "{thread}", "--", "{prompt}"),
        )

    def run(self, order: AgentOrder) -> AgentEnd:
        """Run it to its end. Raises WorldFault when it could not be started, or lacks credentials."""
        program = find(self.program, self.kind, _HINT)
        given = credentials(order, key=_KEY, base_url=_BASE_URL)
        if _KEY not in given and not (order.home / ".codex/auth.json").is_file():
            what = "codex is given no credentials, and waits for ever without"
            hint = "agent: {api: {key_env: NAME}} names the variable that holds the key"
            raise WorldFault(Fault(code="credentials", what=what, where="agent.api", hint=hint))
        brought = _configured(order.home)
        names = (*(each.name for each in order.mcp), *brought)
        places = {
            "{service}": _service(given.pop(_BASE_URL, _SERVICE)) if _KEY in given else (),
            "{servers}": _servers(order.mcp, brought),
            "{settings}": [
                piece for name, value in leaves(order.settings) for piece in ("-c", f"{name}={json.dumps(value)}")
            ],
        }

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            thread = () if before is None else ("resume", _thread(before))
            line = expanded(self.command(asked.agent, asked.flags), {**places, "{thread}": thread})
            ran = drive(asked, program, line, given, name=name, shows=_Items())
            kept = _rollout(asked.home)
            said = read(ran.stdout.read_bytes(), ran.stderr.read_bytes(), ran.end, rollout=kept, servers=names)
            return told(said, ran)

        return converse(order, tell, cumulative=REPORTED)


def _thread(before: Told) -> str:
    """Give the name of the conversation. Raises WorldFault (``thread``)."""
    if before.thread is None:
        raise WorldFault(Fault(code="thread", what="codex gave its conversation no name by which to take it up again"))
    return before.thread


def _service(url: str) -> tuple[str, ...]:
    """Name the service: a provider of our own, so that no settings elsewhere can name another."""
    said = f'{{name="{_PROVIDER}",base_url={json.dumps(url)},env_key="{_KEY}",wire_api="responses"}}'
    return ("-c", f"model_provider={_PROVIDER}", "-c", f"model_providers.{_PROVIDER}={said}")


def _servers(given: Iterable[McpServer], brought: Iterable[str]) -> list[str]:
    """Give settings for servers; each is required: one that fails would be missing without a word."""
    settings: list[str] = []
    for each in given:
        if each.url is not None:
            token = "" if each.bearer is None else f",bearer_token_env_var={json.dumps(each.bearer)}"
            said = f"url={json.dumps(each.url)}{token}"
        else:
            env = ",".join(f"{json.dumps(key)}={json.dumps(value)}" for key, value in each.env.items())
            said = f"command={json.dumps(each.argv[0])},args={json.dumps(list(each.argv[1:]))},env={{{env}}}"
            said += f",env_vars={json.dumps(list(each.pass_env))}" if each.pass_env else ""
        settings += ["-c", f"mcp_servers.{each.name}={{{said},required=true}}"]
    for name in brought:
        settings += ["-c", f"mcp_servers.{name}.required=true"]
    return settings


def _configured(home: Path) -> tuple[str, ...]:
    """Give the servers in the configuration that a provider wrote. Raises WorldFault (``mcp``) when it cannot be read."""
    try:
        said = tomllib.loads(bytes_of(home / _CONFIG).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        what = f"{_CONFIG} in the agent's home cannot be read: {problem}"
        raise WorldFault(Fault(code="mcp", what=what, where=_CONFIG)) from problem
    servers = said.get("mcp_servers")
    return tuple(sorted(servers)) if isinstance(servers, Mapping) else ()


def _rollout(home: Path) -> bytes:
    """Give the newest record of a session."""
    found = sorted((home / ".codex/sessions").glob("*/*/*/rollout-*.jsonl"))
    return bytes_of(found[-1]) if found else b""


def read(stdout: bytes, stderr: bytes, end: JobEnd, *, rollout: bytes = b"", servers: Sequence[str] = ()) -> Said:
    """Read its stream and its own record; ``servers`` were required, so that a session which began has them all."""
    del end
    lines = list(stream.documents(stdout))
    kept = list(stream.documents(rollout))
    began = any(line.get("type") == "thread.started" for line in lines)
    session = _session(kept, servers, stderr, began=began)
    events = [stream.session(session)] if session else []
    items = _Items()
    events += [event for line in lines for event in items(line)]
    last = next((line for line in reversed(lines) if line.get("type") in ("turn.completed", "turn.failed")), None)
    measures = _measures(last, kept)
    reason, detail = _reason(last)
    if last is not None:
        events += [stream.usage(measures), stream.result(reason, detail)]
    answers = [event.data["text"] for event in events if event.kind == "message"]
    return Said(
        began=began,
        reason=reason,
        detail=detail or complaint(stderr),
        stalled=_stalled(lines),
        answer=str(answers[-1]) if answers else None,
        thread=next((str(line["thread_id"]) for line in lines if line.get("thread_id")), None),
        measures=measures,
        reasons=NO_COST,
        session=session,
        events=tuple(events),
    )


def _session(
    kept: Sequence[Mapping[str, Any]], servers: Sequence[str], stderr: bytes, *, began: bool
) -> dict[str, Plain]:
    said: dict[str, Plain] = {}
    for line in kept:
        for kind, key, name in (("session_meta", "cli_version", "version"), ("turn_context", "model", "model")):
            if line.get("type") == kind and isinstance(part(line, "payload", key), str):
                said.setdefault(name, str(part(line, "payload", key)))
    complaints = stderr.decode("utf-8", "replace")
    refused = complaints.partition(_REQUIRED)[2]
    if began or refused:
        status = {name: "connected" if began else "failed" if f"{name}: " in refused else "unknown" for name in servers}
        said["mcp_servers"] = [{"name": name, "status": each} for name, each in sorted(status.items())]
    return said


@dataclass(kw_only=True, slots=True)
class _Items:
    """Reads its stream line by line. Most calls are shown when they begin, and again with what came of them; some only then."""

    begun: set[str] = field(default_factory=set)

    def __call__(self, line: Mapping[str, Any]) -> list[AgentEvent]:
        item = line.get("item")
        if line.get("type") not in ("item.started", "item.completed") or not isinstance(item, Mapping):
            return []
        kind, call, whole = str(item.get("type")), str(item.get("id")), line["type"] == "item.completed"
        if kind == "agent_message" and whole:
            return [stream.message(str(item.get("text", "")))]
        if kind not in _DOES:
            return []
        found = [] if call in self.begun else [_call(item, kind, call)]
        if not whole:
            self.begun.add(call)
            return found
        self.begun.discard(call)
        return [*found, _result(item, call)]


def _call(item: Mapping[str, Any], kind: str, call: str) -> AgentEvent:
    of_server = kind == "mcp_tool_call"
    name = f"mcp__{item.get('server')}__{item.get('tool')}" if of_server else kind
    args = {key: item[key] for key in ("command", "changes", "query") if key in item}
    return stream.tool_call(name, does=_DOES[kind], call=call, args=item.get("arguments") if of_server else args)


def _result(item: Mapping[str, Any], call: str) -> AgentEvent:
    failed = item.get("status") == "failed" or item.get("error") is not None or item.get("exit_code") not in (None, 0)
    text = (
        item.get("aggregated_output")
        or part(item, "error", "message")
        or stream.text_of(part(item, "result", "content"))
    )
    return stream.tool_result(call=call, error=failed, text=str(text or ""))


def _reason(last: Mapping[str, Any] | None) -> tuple[str | None, str]:
    """Give (reason, complaint). A turn fails when its service does, or when the conversation outgrows the model."""
    if last is None:
        return None, ""
    if last.get("type") == "turn.completed":
        return outcome.COMPLETED, ""
    detail = str(part(last, "error", "message") or "the turn failed")
    return (outcome.PROMPT_TOO_LONG if _TOO_LONG.search(detail) else outcome.API_ERROR), detail


def _stalled(lines: Sequence[Mapping[str, Any]]) -> str | None:
    """Say what it waits for: it tries for ever to reach a service that refuses connections."""
    last = lines[-1] if lines else {}
    said = str(last.get("message", ""))
    return said if last.get("type") == "error" and said.startswith("Reconnecting") else None


def _measures(last: Mapping[str, Any] | None, kept: Sequence[Mapping[str, Any]]) -> dict[str, Measure]:
    """Tokens by the result, else by the last count of its own record; turns are the calls of the model that the record counts."""
    counts = [
        part(line, "payload", "info", "total_token_usage")
        for line in kept
        if part(line, "payload", "type") == "token_count"
    ]
    calls = [each for before, each in zip([None, *counts], counts, strict=False) if each is not None and each != before]
    used = part(last, "usage") or (calls[-1] if calls else None)
    read_all, cached = count(part(used, "input_tokens")), count(part(used, "cached_input_tokens"))
    return {
        "turns": len(calls) if kept else None,
        "input_tokens": None if read_all is None or cached is None or cached > read_all else read_all - cached,
        "output_tokens": count(part(used, "output_tokens")),
        "cache_read": cached,
        "cache_write": count(part(used, "cache_write_input_tokens")),
    }
