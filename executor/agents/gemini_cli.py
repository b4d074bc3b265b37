"""Gemini CLI, headless: ``gemini --output-format stream-json``; its own local telemetry tells what its stream leaves out."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
    laid_over,
    model_access,
)
from executor.agents.jobs import inside
from executor.agents.outcome import Measure, Said, complaint, exit_status, told
from executor.agents.programs import ask, find
from executor.agents.refusing import REFUSAL, pattern, with_hook, with_refusals
from executor.agents.stream import count, part
from executor.agents.watching import family
from executor.ports import AgentEnd, AgentEvent, AgentOrder, JobEnd, Network, Sandbox
from executor.treatments import McpServer, ModelAccess, Treatment
from executor.turns import FAMILIES, Steps
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_HINT = "npm install -g @google/gemini-cli@VERSION, and put its folder on PATH"
_SETTINGS = ".gemini/settings.json"
_KEY, _BASE_URL = "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"
_SERVICE = "https://generativelanguage.googleapis.com"
_ENV: Mapping[str, str] = {
    "GEMINI_CLI_NO_RELAUNCH": "true",  # else a second process stands between it and its signals
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
}
_OF_SERVICE = re.compile(r"API Error|fetch failed|Model stream ended|ECONN|status: \d{3}", re.IGNORECASE)
_TURNS, _NO_KEY = 53, 41
"""Exit statuses: its limit of turns; no credentials."""
_DOES: Mapping[str, str] = {
    "read_file": "read",
    "read_many_files": "read",
    "replace": "edit",
    "write_file": "edit",
    "run_shell_command": "shell",
    "glob": "search",
    "grep_search": "search",
    "search_file_content": "search",
    "list_directory": "search",
    "google_web_search": "search",
}
"""Its own tools, and what they do; any other is ``other``."""


class GeminiCliAgent:
    """Runs ``gemini``. It has no limit of money of its own."""

    kind: ClassVar[str] = "gemini-cli"
    program: ClassVar[str] = "gemini"
    simulated: ClassVar[bool] = False
    steps: ClassVar[Steps] = Steps(say=True, new_run=True, cancel=FAMILIES, refuse=FAMILIES, repairs=True)
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
        """By a key in a header of its own."""
        return model_access(agent, _SERVICE, header="x-goog-api-key", scheme="")

    def environment(self, agent: AgentPlan) -> Mapping[str, str]:
        """Give the variables that it is run with."""
        del agent
        return {**_ENV, _KEY: "{key}", _BASE_URL: "{model_url}"}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command line; turns, servers, settings and telemetry stand in a file of its home."""
        model = () if agent.model is None else ("-m", "{model}")
        fixed = ("--output-format", "stream-json", *model, "--approval-mode", "yolo")
        return (self.program, *fixed, *flags, "{thread}", "--prompt={prompt}")

    def run(self, order: AgentOrder) -> AgentEnd:
        """Run it to its end. Raises WorldFault when it could not be started, or lacks credentials that the spec names."""
        program = find(self.program, self.kind, _HINT)
        own = _own_settings(order)

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            record = f".gemini/telemetry-{name}.log"
            servers = _write_settings(asked, own, record)
            env = {**_ENV, **credentials(asked, key=_KEY, base_url=_BASE_URL)}
            thread = () if before is None else ("--resume", "latest")
            line = expanded(self.command(asked.agent, asked.flags), {"{thread}": thread})
            ran = drive(asked, program, line, env, name=name, shows=_events)
            kept = bytes_of(asked.home / record)
            said = read(ran.stdout.read_bytes(), ran.stderr.read_bytes(), ran.end, telemetry=kept, servers=servers)
            if asked.refuse is not None:
                said = replace(said, events=with_refusals(said.events, asked.refuse))
            return told(said, ran)

        return converse(order, tell)


def _own_settings(order: AgentOrder) -> Mapping[str, Any]:
    """Give the settings that a provider wrote. Raises WorldFault (``settings``) when they cannot be read."""
    try:
        said = json.loads(bytes_of(order.home / _SETTINGS) or b"{}")
        return laid_over(said, order.settings)
    except (ValueError, AttributeError, TypeError) as problem:
        what = f"{_SETTINGS} in the agent's home cannot be read: {problem}"
        raise WorldFault(Fault(code="settings", what=what, where=_SETTINGS)) from problem


def _write_settings(order: AgentOrder, own: Mapping[str, Any], record: str) -> tuple[str, ...]:
    """Lay what a run needs over the arm's own settings; give the names of all servers."""
    outfile = inside(order, order.home / record)
    needed: dict[str, Any] = {
        "mcpServers": {each.name: _server(each) for each in order.mcp},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
        "telemetry": {"enabled": True, "target": "local", "otlpEndpoint": "", "outfile": outfile, "logPrompts": False},
    }
    if order.agent.limits.turns is not None:
        needed["model"] = {"maxSessionTurns": order.agent.limits.turns}
    whole = laid_over(own, needed)
    if order.refuse is not None:
        denies = {"decision": "deny", "reason": REFUSAL}
        whole = dict(with_hook(whole, "BeforeTool", pattern(_DOES, order.refuse, server="mcp_"), denies))
    file = order.home / _SETTINGS
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(whole, indent=1), "utf-8")
    return tuple(sorted(whole["mcpServers"]))


def _server(server: McpServer) -> dict[str, Any]:
    """Write a server as its settings name it; ``$NAME`` is filled in from its own environment."""
    if server.url is not None:
        headers = {} if server.bearer is None else {"headers": {"Authorization": f"Bearer ${server.bearer}"}}
        return {"httpUrl": server.url, **headers, "trust": True}
    env = {**server.env, **{name: f"${name}" for name in server.pass_env}}
    return {"command": server.argv[0], "args": list(server.argv[1:]), "env": env, "trust": True}


def read(stdout: bytes, stderr: bytes, end: JobEnd, *, telemetry: bytes = b"", servers: Sequence[str] = ()) -> Said:
    """Read its stream, its telemetry and its exit status: on some failures of its service it exits 0, on others with the HTTP status."""
    lines = list(stream.documents(stdout))
    told = [part(each, "attributes") for each in _concatenated(telemetry)]
    init = next((line for line in lines if line.get("type") == "init"), None)
    last = next((line for line in reversed(lines) if line.get("type") == "result"), None)
    session = _session(init, told, servers, stderr) if init is not None else {}
    events = [stream.session(session)] if init is not None else []
    events += [event for line in lines for event in _events(line)]
    reason, detail = _reason(lines, last, exit_status(end))
    measures = _measures(last, told)
    if last is not None:
        events += [stream.usage(measures, _models(last)), stream.result(reason, detail)]
    return Said(
        began=init is not None,
        reason=reason,
        detail=detail or complaint(stderr),
        answer=_answer(lines),
        measures=measures,
        reasons={**NO_COST, "cache_write": "its service tells no writes to a cache"},
        session=session,
        events=tuple(events),
    )


def _concatenated(text: bytes) -> Iterator[Mapping[str, Any]]:
    """Give the JSON documents that stand one behind the other; a torn last one is passed over."""
    rest, decoder, at = text.decode("utf-8", "replace"), json.JSONDecoder(), 0
    while (at := _next(rest, at)) >= 0:
        try:
            found, at = decoder.raw_decode(rest, at)
        except ValueError:
            return
        if isinstance(found, dict):
            yield found


def _next(text: str, at: int) -> int:
    return text.find("{", at)


def _session(
    init: Mapping[str, Any], told: Sequence[object], servers: Sequence[str], stderr: bytes
) -> dict[str, Plain]:
    """A server is connected when the first request offers a tool of it; its stream says nothing of servers or tools."""
    said: dict[str, Plain] = {"model": str(init.get("model"))}
    offered = next((found for each in told if (found := part(each, "gen_ai.tool.definitions")) is not None), None)
    tools = _names(offered)
    issues = b"MCP issues detected" in stderr
    if tools is not None:
        said["tools"] = sorted(tools)
    status: dict[str, str] = {}
    for name in servers:
        has_tool = tools is not None and any(each.startswith(f"mcp_{name}_") for each in tools)
        status[name] = "connected" if has_tool else "failed" if issues or tools is not None else "unknown"
    said["mcp_servers"] = [{"name": name, "status": each} for name, each in sorted(status.items())]
    return said


def _names(offered: object) -> list[str] | None:
    try:
        declared = json.loads(offered) if isinstance(offered, str) else offered
    except ValueError:
        return None
    if not isinstance(declared, list):
        return None
    offered_tools = (
        one for each in stream.objects(declared) for one in stream.objects(each.get("functionDeclarations"))
    )
    return [str(one.get("name")) for one in offered_tools]


def _events(line: Mapping[str, Any]) -> list[AgentEvent]:
    kind = line.get("type")
    if kind == "message" and line.get("role") == "assistant":
        return [stream.message(str(line.get("content", "")))]
    if kind == "tool_use":
        name, call = str(line.get("tool_name")), str(line.get("tool_id"))
        return [stream.tool_call(name, does=family(_DOES, name, server="mcp_"), call=call, args=line.get("parameters"))]
    if kind == "tool_result":
        text = str(line.get("output") or part(line, "error", "message") or "")
        return [stream.tool_result(call=str(line.get("tool_id")), error=line.get("status") == "error", text=text)]
    return []


def _reason(lines: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None, status: int) -> tuple[str | None, str]:
    """Give (reason, complaint). ``success`` is also said of a loop that it broke off."""
    errors = [str(line.get("message", "")) for line in lines if line.get("type") == "error"]
    if last is None:
        return None, errors[-1] if errors else ""
    detail = str(part(last, "error", "message") or (errors[-1] if errors else ""))
    if last.get("status") == "success":
        looped = any("Loop detected" in each for each in errors)
        return (outcome.LOOP_DETECTED if looped else outcome.COMPLETED), detail
    if part(last, "error", "type") == "FatalTurnLimitedError" or status == _TURNS:
        return outcome.MAX_TURNS, detail
    if status == _NO_KEY or _OF_SERVICE.search(detail) or part(last, "error", "type") in ("unknown", None):
        return outcome.API_ERROR, detail or f"exit {status}"
    return outcome.ERROR, detail


def _answer(lines: Sequence[Mapping[str, Any]]) -> str | None:
    """Give what it said last: the pieces behind its last call of a tool."""
    said: list[str] = []
    for line in lines:
        if line.get("type") == "tool_use":
            said = []
        elif line.get("type") == "message" and line.get("role") == "assistant":
            said.append(str(line.get("content", "")))
    return "".join(said) or None


def _models(last: Mapping[str, Any] | None) -> Mapping[str, object] | None:
    """Give the tokens of each model, its side requests included."""
    models = part(last, "stats", "models")
    if not isinstance(models, Mapping):
        return None
    names = {"input_tokens": "input", "output_tokens": "output_tokens", "cache_read": "cached"}
    return {model: {fact: count(part(used, name)) for fact, name in names.items()} for model, used in models.items()}


def _measures(last: Mapping[str, Any] | None, told: Sequence[object]) -> dict[str, Measure]:
    """Tokens by the result; turns are the answers of the model that its telemetry counts, without its side requests."""
    answers = [
        each for each in told if part(each, "event.name") == "gemini_cli.api_response" and part(each, "role") == "main"
    ]
    stats = part(last, "stats")
    return {
        "turns": len(answers) if told else None,
        "tokens": count(part(stats, "total_tokens")),
        "input_tokens": count(part(stats, "input")),
        "output_tokens": count(part(stats, "output_tokens")),
        "cache_read": count(part(stats, "cached")),
        "cache_write": None,
    }
