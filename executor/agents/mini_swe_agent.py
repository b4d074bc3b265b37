"""mini-swe-agent, headless: ``mini``; its record is one JSON document that it rewrites after each step."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from compiler.plan import AgentPlan, LimitsPlan
from executor.agents import outcome, stream
from executor.agents.conversation import Told, converse
from executor.agents.drive import (
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
from executor.agents.stream import amount, count, part
from executor.ports import AgentEnd, AgentEvent, AgentOrder, JobEnd, Network, Sandbox
from executor.treatments import ModelAccess, Treatment
from executor.turns import Steps
from ledger.plain import Plain

_HINT = "install mini-swe-agent==VERSION into an environment of its own, and put its bin on PATH"
_RECORD = "trajectory.json"
_ENV: Mapping[str, str] = {
    "MSWEA_CONFIGURED": "true",
    "MSWEA_SILENT_STARTUP": "1",
    "MSWEA_GLOBAL_CONFIG_DIR": "{home}/.mini",
    "MSWEA_COST_TRACKING": "ignore_errors",  # else a model without a price ends it after its first call
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "TYPER_STANDARD_TRACEBACK": "1",  # else it takes seconds to print its library's source in colours when the service fails
}
_STEP = b"mini-swe-agent (step 1"
_REASONS: Mapping[str, str] = {
    "Submitted": outcome.COMPLETED,
    "TimeExceeded": "time_exhausted",
    "RepeatedFormatError": "format_error",
    "ContextWindowExceededError": outcome.PROMPT_TOO_LONG,
}
_OF_SERVICE = frozenset(
    {
        "APIConnectionError",
        "APIError",
        "APIResponseValidationError",
        "AuthenticationError",
        "BadGatewayError",
        "BadRequestError",
        "BudgetExceededError",
        "InternalServerError",
        "InvalidRequestError",
        "MidStreamFallbackError",
        "NotFoundError",
        "OpenAIError",
        "PermissionDeniedError",
        "RateLimitError",
        "ServiceUnavailableError",
        "Timeout",
        "UnprocessableEntityError",
    }
)
"""Names of the exceptions by which its library tells that the service failed."""


class MiniSweAgent:
    """Runs ``mini``. Its one tool is a shell, so that no call is known to edit; it knows no MCP, and no second turn, only a new run."""

    kind: ClassVar[str] = "mini-swe-agent"
    program: ClassVar[str] = "mini"
    simulated: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = False
    steps: ClassVar[Steps] = Steps(new_run=True, repairs=True)
    network: ClassVar[Network] = "model"
    measures: ClassVar[frozenset[str]] = REPORTED - {"calls_before_first_edit"}

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Ask the binary. Raises WorldFault (``program-missing``, ``agent-version``, ``agent``)."""
        return ask(find(self.program, self.kind, _HINT), agent, sandbox, ("--help",))  # its greeting says the version

    def takes(self, agent: AgentPlan) -> frozenset[Treatment]:
        """Settings."""
        del agent
        return frozenset({"settings"})

    def access(self, agent: AgentPlan) -> ModelAccess | None:
        """By the service that stands before the model's name (``anthropic/…``)."""
        if _service(agent) == "ANTHROPIC":
            return model_access(agent, "https://api.anthropic.com", header="x-api-key", scheme="")
        return model_access(agent, "https://api.openai.com/v1")

    def environment(self, agent: AgentPlan) -> Mapping[str, str]:
        """Give the variables that it is run with."""
        service = _service(agent)
        return {**_ENV, f"{service}_API_KEY": "{key}", f"{service}_API_BASE": "{model_url}"}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command line; 0 is no limit."""
        limits = agent.limits
        cost = "0" if limits.cost_usd is None else format(limits.cost_usd, "f")
        settings = ("mini.yaml", f"agent.step_limit={limits.turns or 0}", f"agent.cost_limit={cost}")
        return (
            *(self.program, "--yolo", "--exit-immediately"),
            *(() if agent.model is None else ("--model", "{model}")),
            *(piece for each in settings for piece in ("--config", each)),
            *("{settings}", "--output", f"{{home}}/{_RECORD}", *flags, "--task={prompt}"),
        )

    def run(self, order: AgentOrder) -> AgentEnd:
        """Run it to its end. Raises WorldFault when it could not be started, or lacks credentials that the spec names."""
        program = find(self.program, self.kind, _HINT)
        service = _service(order.agent)
        env = {**_ENV, **credentials(order, key=f"{service}_API_KEY", base_url=f"{service}_API_BASE")}
        laid = [piece for name, value in leaves(order.settings) for piece in ("--config", f"{name}={_written(value)}")]

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            del before  # it takes no conversation up again
            line = expanded(self.command(asked.agent, asked.flags), {"{settings}": laid})
            ran = drive(asked, program, line, env, name=name)
            record = bytes_of(asked.home / _RECORD)
            said = read(record, ran.stdout.read_bytes(), ran.stderr.read_bytes(), ran.end, limits=asked.agent.limits)
            kept = asked.artefacts / f"{name}-{_RECORD}"
            kept.write_bytes(record)
            return told(said, ran, {"record": kept})

        return converse(order, tell)


def _service(agent: AgentPlan) -> str:
    """Give the start of its service's variables: ``OPENAI`` for ``openai/gpt-5``."""
    return (agent.model or "").partition("/")[0].upper().replace("-", "_")


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def read(record: bytes, stdout: bytes, stderr: bytes, end: JobEnd, *, limits: LimitsPlan) -> Said:
    """Read its record. It writes none before the end of its first step, so its talk tells whether it began."""
    del end
    try:
        document: Any = json.loads(record, parse_float=Decimal) if record else None
    except ValueError:
        document = None  # it was ended while it wrote
    if not isinstance(document, Mapping):
        began, detail = _STEP in stdout, complaint(stderr) or complaint(stdout)
        return Said(began=began, detail=detail, measures=_unknown(), reasons=_NO_EDITS)
    messages = stream.objects(document.get("messages"))
    status = part(document, "info", "exit_status")
    reason = _reason(str(status), document, limits) if status else None
    session = _session(document)
    measures, why = _measures(document, messages)
    events = [
        stream.session(session),
        *(event for each in messages for event in _events(each)),
        stream.usage(measures),
    ]
    detail = next(
        (str(part(each, "extra", "exception_str")) for each in messages if part(each, "extra", "exception_str")), ""
    )
    if reason is not None:
        events.append(stream.result(reason, detail))
    submission = part(document, "info", "submission")
    return Said(
        began=True,
        reason=reason,
        detail=detail[:600] or complaint(stderr),
        answer=submission if isinstance(submission, str) and submission else None,
        measures=measures,
        reasons={**_NO_EDITS, **why},
        session=session,
        events=tuple(events),
    )


_NO_EDITS: Mapping[str, str] = {"calls_before_first_edit": "its one tool is a shell: which call edits cannot be told"}


def _unknown() -> dict[str, Measure]:
    return dict.fromkeys(("cost", "turns", "input_tokens", "output_tokens", "cache_read", "cache_write"))


def _session(document: Mapping[str, Any]) -> dict[str, Plain]:
    said: dict[str, Plain] = {"tools": ["bash"], "mcp_servers": []}
    for name, path in (("version", ("info", "mini_version")), ("model", ("info", "config", "model", "model_name"))):
        if isinstance(found := part(document, *path), str):
            said[name] = found
    return said


def _reason(status: str, document: Mapping[str, Any], limits: LimitsPlan) -> str:
    """Read its exit status, a word of its own or the name of an exception; the process itself exits 0 for most."""
    if status == "LimitsExceeded":  # one word for both limits
        calls = count(part(document, "info", "model_stats", "api_calls"))
        return outcome.MAX_TURNS if limits.turns is not None and calls == limits.turns else outcome.BUDGET_EXHAUSTED
    return outcome.API_ERROR if status in _OF_SERVICE else _REASONS.get(status, status)


def _events(said: Mapping[str, Any]) -> list[AgentEvent]:
    if said.get("role") == "assistant":
        text = stream.text_of(said.get("content"))
        calls = stream.objects(part(said, "extra", "actions"))
        made = [
            stream.tool_call(
                "bash",
                does="shell",
                call=str(each.get("tool_call_id")),
                args={"command": each.get("command")},
                edits=False,
            )
            for each in calls
        ]
        return [*([stream.message(text)] if text else []), *made]
    code = part(said, "extra", "returncode")
    if code is None:
        return []
    submitted = part(said, "extra", "exception_info") == "action was not executed"  # the call that ends a run
    output = str(part(said, "extra", "raw_output") or "")
    return [stream.tool_result(call=str(said.get("tool_call_id")), error=code != 0 and not submitted, text=output)]


def _measures(
    document: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Measure], dict[str, str]]:
    """Give (measures, reasons): tokens of all answers; a cost of 0 for answers that used tokens is a price it does not know."""
    used = [found for each in messages if (found := part(each, "extra", "response", "usage")) is not None]
    read_all = _sum(count(part(each, "prompt_tokens")) for each in used)
    cached = _sum(count(part(each, "prompt_tokens_details", "cached_tokens")) or 0 for each in used)
    written = _sum(count(part(each, "cache_creation_input_tokens")) or 0 for each in used)
    cost, why = amount(part(document, "info", "model_stats", "instance_cost")), {}
    if cost == 0 and used:
        cost, why = None, {"cost": "the agent knows no price of this model; another route would give one (routes.cost)"}
    measures: dict[str, Measure] = {
        "cost": cost,
        "turns": count(part(document, "info", "model_stats", "api_calls")),
        "input_tokens": None if read_all is None else read_all - (cached or 0) - (written or 0),
        "output_tokens": _sum(count(part(each, "completion_tokens")) for each in used),
        "cache_read": cached,
        "cache_write": written,
    }
    return measures, why


def _sum(values: Any) -> int | None:
    found = list(values)
    return None if None in found else sum(found)
