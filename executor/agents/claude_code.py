"""Claude Code, headless: ``claude -p --output-format stream-json``, alone with what its arm brings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

from compiler.plan import AgentPlan
from executor.agents import outcome, stream
from executor.agents.conversation import Told, converse, goes_on
from executor.agents.drive import REPORTED, credentials, drive, expanded, model_access
from executor.agents.outcome import Measure, Said, complaint
from executor.agents.programs import ask, find
from executor.agents.refusing import REFUSAL, pattern, with_hook, with_refusals
from executor.agents.stream import amount, count, part
from executor.agents.watching import family
from executor.mcp_document import FILE, mcp_document
from executor.ports import AgentEnd, AgentEvent, AgentOrder, JobEnd, Network, Sandbox
from executor.treatments import ModelAccess, Treatment
from executor.turns import FAMILIES, Steps
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_HINT = "npm install -g @anthropic-ai/claude-code@VERSION, and put its folder on PATH"
_KEY, _BASE_URL, _SERVICE = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"
_SETTINGS = "settings.json"
_ENV: Mapping[str, str] = {
    "IS_SANDBOX": "1",  # else it refuses to work unattended as root
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "MCP_CONNECTION_NONBLOCKING": "0",  # else it begins before its servers are connected, and arms differ by luck
}
_REASONS: Mapping[str, str] = {
    "error_max_turns": outcome.MAX_TURNS,
    "error_max_budget_usd": outcome.BUDGET_EXHAUSTED,
}
_TOKENS: Mapping[str, tuple[str, str]] = {
    "input_tokens": ("inputTokens", "input_tokens"),
    "output_tokens": ("outputTokens", "output_tokens"),
    "cache_read": ("cacheReadInputTokens", "cache_read_input_tokens"),
    "cache_write": ("cacheCreationInputTokens", "cache_creation_input_tokens"),
}
"""Fact → its name in ``modelUsage`` (whole run, sub-agents included) and in ``usage`` (one result alone)."""
_DOES: Mapping[str, str] = {
    "Read": "read",
    "NotebookRead": "read",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Bash": "shell",
    "PowerShell": "shell",
    "Glob": "search",
    "Grep": "search",
    "LS": "search",
    "LSP": "search",
    "WebSearch": "search",
    "ListMcpResourcesTool": "mcp",
    "ReadMcpResourceTool": "mcp",
}
"""Its own tools, and what they do; any other (of tasks, of questions, of a background shell's output) is ``other``."""


class ClaudeCodeAgent:
    """Runs ``claude``. It reads no settings, skills or servers but those of its arm, unless its options say otherwise."""

    kind: ClassVar[str] = "claude-code"
    program: ClassVar[str] = "claude"
    simulated: ClassVar[bool] = False
    steps: ClassVar[Steps] = Steps(say=True, new_run=True, cancel=FAMILIES, refuse=FAMILIES, repairs=True)
    needs_reference: ClassVar[bool] = False
    network: ClassVar[Network] = "model"
    measures: ClassVar[frozenset[str]] = REPORTED

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Ask the binary. Raises WorldFault (``program-missing``, ``agent-version``, ``agent``)."""
        return ask(find(self.program, self.kind, _HINT), agent, sandbox, ("--version",))

    def takes(self, agent: AgentPlan) -> frozenset[Treatment]:
        """Servers and settings."""
        del agent
        return frozenset({"mcp", "settings"})

    def access(self, agent: AgentPlan) -> ModelAccess | None:
        """A key goes into a header of its own, the token of a subscription does not."""
        if _key(agent) != _KEY:
            return model_access(agent, _SERVICE)
        return model_access(agent, _SERVICE, header="x-api-key", scheme="")

    def environment(self, agent: AgentPlan) -> Mapping[str, str]:
        """Give the variables that it is run with."""
        return {**_ENV, _key(agent): "{key}", _BASE_URL: "{model_url}"}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command line; ``{home}`` is the agent's private home. Arms differ in what stands in its files, or in ``flags``."""
        limits, settings = agent.limits, agent.options.get("settings")
        read = ",".join(map(str, settings)) if isinstance(settings, Sequence) and not isinstance(settings, str) else ""
        return (
            *(self.program, "-p", "--output-format", "stream-json", "--verbose"),
            *(() if agent.model is None else ("--model", "{model}")),
            *(() if limits.turns is None else ("--max-turns", str(limits.turns))),
            *(() if limits.cost_usd is None else ("--max-budget-usd", format(limits.cost_usd, "f"))),
            *("--permission-mode", "bypassPermissions"),
            *(() if agent.options.get("servers") == "found" else ("--strict-mcp-config",)),
            *("--mcp-config", f"{{home}}/{FILE}", "--settings", f"{{home}}/{_SETTINGS}", "--setting-sources", read),
            *(() if agent.options.get("skills") is True else ("--disable-slash-commands",)),
            *("{thread}", *flags, "--", "{prompt}"),
        )

    def run(self, order: AgentOrder) -> AgentEnd:
        """Run it to its end. Raises WorldFault when it could not be started, or lacks credentials that the spec names."""
        program = find(self.program, self.kind, _HINT)
        (order.home / FILE).write_bytes(mcp_document(order.mcp))

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            (asked.home / _SETTINGS).write_text(json.dumps(_settings(asked), indent=1), "utf-8")
            env = {**_ENV, **credentials(asked, key=_key(asked.agent), base_url=_BASE_URL)}
            line = expanded(self.command(asked.agent, asked.flags), {"{thread}": _thread(asked, before)})
            ran = drive(asked, program, line, env, name=name, shows=_events)
            said = read(ran.stdout.read_bytes(), ran.stderr.read_bytes(), ran.end)
            if asked.refuse is not None:
                said = replace(said, events=with_refusals(said.events, asked.refuse))
            return outcome.told(said, ran)

        return converse(order, tell, cumulative=frozenset({"cost", *_TOKENS}))


def _above(workspace: Path) -> list[str]:
    """Name the instructions that could stand above a workspace: where no wall hides the host, it would read them as the project's."""
    names = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/**")
    return [str(folder / name) for folder in workspace.parents for name in names]


def _settings(order: AgentOrder) -> Mapping[str, Any]:
    """Give its settings: those of its arm, and a hook that declines what is to be refused before it runs, whatever its permissions."""
    settings = {"claudeMdExcludes": _above(order.workspace), **order.settings}
    if order.refuse is None:
        return settings
    said = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": REFUSAL}
    return with_hook(settings, "PreToolUse", pattern(_DOES, order.refuse), {"hookSpecificOutput": said})


def _thread(asked: AgentOrder, before: Told | None) -> tuple[str, ...]:
    """Take the conversation up again, or keep it only where somebody will. Raises WorldFault (``thread``) when it gave it no name."""
    if before is None:
        return () if goes_on(asked) else ("--no-session-persistence",)
    if before.thread is None:
        raise WorldFault(Fault(code="thread", what="claude gave its conversation no name by which to take it up again"))
    return ("--resume", before.thread)


def _key(agent: AgentPlan) -> str:
    """Give the variable that takes the key: a token of a subscription has another name than a key."""
    asked = part(agent.options, "api", "key_env")
    return str(asked) if asked in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN") else _KEY


def read(stdout: bytes, stderr: bytes, end: JobEnd) -> Said:
    """Read its stream. ``end`` tells a stream that was cut from one that came to its end."""
    lines = list(stream.documents(stdout))
    inits = [line for line in lines if (line.get("type"), line.get("subtype")) == ("system", "init")]
    results = [line for line in lines if line.get("type") == "result"]
    session = _session(inits[0]) if inits else {}
    events = [stream.session(session)] if inits else []
    events += [event for line in lines for event in _events(line)]
    if not results:
        last = lines[-1] if lines else {}
        retrying = last.get("subtype") == "api_retry"
        stalled = f"it was still trying to reach its service: {_retry(last)}" if retrying else None
        unknown: dict[str, Measure] = dict.fromkeys(("cost", "turns", *_TOKENS))
        return Said(
            began=bool(inits),
            detail=complaint(stderr),
            stalled=stalled,
            thread=_thread_name(inits),
            measures=unknown,
            session=session,
            events=tuple(events),
        )
    last = results[-1]
    reason, detail = _reason(last, end)
    measures = _measures(results)
    cost, why = _cost(last, reason)
    used = stream.usage({name: measures[name] for name in _TOKENS}, _models(last), cumulative=True)
    events += [used, stream.result(reason, last.get("result"))]
    return Said(
        began=True,
        reason=reason,
        detail=detail,
        answer=last["result"] if isinstance(last.get("result"), str) else None,
        thread=_thread_name([*inits, last]),
        measures={**measures, "cost": cost},
        reasons={"cost": why} if cost is None else {},
        session=session,
        events=tuple(events),
    )


def _thread_name(lines: Sequence[Mapping[str, Any]]) -> str | None:
    return next((str(line["session_id"]) for line in reversed(lines) if line.get("session_id")), None)


def _session(init: Mapping[str, Any]) -> dict[str, Plain]:
    named = {"model": "model", "version": "claude_code_version", "tools": "tools", "skills": "skills"}
    named |= {"agents": "agents", "key": "apiKeySource", "permissions": "permissionMode"}
    said: dict[str, Plain] = {name: stream.plain(init[key]) for name, key in named.items() if key in init}
    servers = stream.objects(init.get("mcp_servers"))
    said["mcp_servers"] = [{"name": str(each.get("name")), "status": str(each.get("status"))} for each in servers]
    return said


def _events(line: Mapping[str, Any]) -> list[AgentEvent]:
    """Read one line; one event for each block, since a message comes block by block."""
    blocks = stream.objects(part(line, "message", "content"))
    found: list[AgentEvent] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "text" and line.get("type") == "assistant":
            found.append(stream.message(str(block.get("text", ""))))
        elif kind == "tool_use":
            name, call, args = str(block.get("name")), str(block.get("id")), block.get("input")
            found.append(stream.tool_call(name, does=family(_DOES, name), call=call, args=args))
        elif kind == "tool_result":
            call, error = str(block.get("tool_use_id")), block.get("is_error") is True
            found.append(stream.tool_result(call=call, error=error, text=stream.text_of(block.get("content"))))
    return found


def _reason(last: Mapping[str, Any], end: JobEnd) -> tuple[str, str]:
    """Give (reason, complaint). An unreachable service is called ``success`` by the subtype; older versions call it completed too."""
    subtype, said, status = str(last.get("subtype")), last.get("terminal_reason"), last.get("api_error_status")
    errors = last.get("errors")
    detail = str(last.get("result") or (errors[0] if isinstance(errors, list) and errors else ""))
    if status is not None:
        detail = f"HTTP {status}: {detail}"
    if said == outcome.PROMPT_TOO_LONG:
        return outcome.PROMPT_TOO_LONG, detail
    if said == outcome.API_ERROR or status is not None:
        return outcome.API_ERROR, detail
    if subtype in _REASONS:
        return _REASONS[str(subtype)], detail
    if last.get("is_error") is True:
        # Versions before 2.1.3 say ``completed`` of an error of the service; no error of the agent comes under ``success``.
        failed = outcome.API_ERROR if subtype == "success" else str(said or subtype or outcome.ERROR)
        return failed, detail
    if last.get("stop_reason") is None and end.exit_code == 0 and not _spent(last):
        return outcome.API_ERROR, "the stream of its service was cut"  # 2.1.197 ends so with status 0 and no error
    return outcome.COMPLETED if said is None else str(said), detail


def _spent(last: Mapping[str, Any]) -> bool:
    return bool(amount(last.get("total_cost_usd"))) or bool(count(part(last, "usage", "output_tokens")))


def _measures(results: Sequence[Mapping[str, Any]]) -> dict[str, int | None]:
    """Turns add up over results; tokens of all models are told by the last, cumulatively."""
    turns = [count(each.get("num_turns")) for each in results]
    found: dict[str, int | None] = {"turns": None if None in turns else sum(filter(None, turns))}
    models = results[-1].get("modelUsage")
    for fact, (name, old) in _TOKENS.items():
        if isinstance(models, Mapping):
            counts = [count(part(each, name)) for each in models.values()]
        else:
            counts = [count(part(each, "usage", old)) for each in results]
        found[fact] = None if None in counts else sum(filter(None, counts))
    return found


def _models(last: Mapping[str, Any]) -> Mapping[str, object] | None:
    """Give the tokens of each model, sub-agents included; None where the version does not tell them apart."""
    models = last.get("modelUsage")
    if not isinstance(models, Mapping):
        return None
    return {
        model: {fact: count(part(used, name)) for fact, (name, _) in _TOKENS.items()} for model, used in models.items()
    }


def _cost(last: Mapping[str, Any], reason: str) -> tuple[Decimal | None, str]:
    """Give (cost, why not): the last cumulative cost at list prices, sub-agents included. The stream's own numbers are never added up."""
    models = last.get("modelUsage")
    for model, used in models.items() if isinstance(models, Mapping) else ():
        if part(used, "costBasis") not in (None, "list"):
            return None, f"the agent guesses the price of {model}"
    broke_off = reason == outcome.API_ERROR and last.get("api_error_status") is None
    if broke_off and (_spent(last) or last.get("is_error") is not True):
        return None, "its last call broke off: what that cost is not told"
    return amount(last.get("total_cost_usd")), "the agent does not say"


def _retry(line: Mapping[str, Any]) -> str:
    told = {key: line.get(key) for key in ("attempt", "error_status", "error")}
    return json.dumps(told, default=str)
