"""The kinds of agents, each with the JSON Schema of its options."""

from collections.abc import Mapping

from spec_lang import treatment_options
from spec_lang.option_schemas import WORD, Kind, Schema, amount, list_of, map_of, one_of, text, whole

_ARGV = list_of("the program and its arguments, one item each; no shell reads them", WORD, least=1)
_SEED = whole("start of the generator", 0)
_PROFILE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["solve"],
    "description": "what an arm's simulated trials look like",
    "properties": {
        "solve": amount("share of trials that solve their task", "share"),
        "cost": {"$ref": "#/$defs/simulated_cost"},
        "time": {"$ref": "#/$defs/simulated_time"},
        "turns": whole("turns of a trial", 0),
        "tool_calls": whole("tool calls of a trial", 0),
        "harness_failure": amount("share of attempts that the harness loses", "share"),
        "timeout": amount("share of trials that run out of time", "share"),
        "hooks": amount("share of trials in which the treatment's hooks run", "share"),
        "touched_gold": amount("share of trials that touch a file of the reference; else those that solve", "share"),
        "within_task": amount("how alike trials of one task are (correlation)", "share"),
    },
}
_VARIABLE: Schema = {
    "type": "string",
    "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
    "description": "name of a variable of the host; its value stands in no spec and no plan, and is redacted everywhere",
}
ACCESS: Mapping[str, Schema] = {
    "pass_env": list_of("variables of the host that the agent gets, by name", _VARIABLE),
    "network": one_of("what the agent can reach", "none", "model", "open"),
}
_REACHED: Mapping[str, Schema] = {"key_env": _VARIABLE, "base_url_env": _VARIABLE}
_API: Schema = {
    "type": "object",
    "additionalProperties": False,
    "description": "how the agent reaches its service: the variables that hold the key and the address",
    "properties": _REACHED,
}
AGENTS: Mapping[str, Kind] = {
    "claude-code": Kind(
        doc="Claude Code, headless; it reads no settings, skills or MCP servers but those of its arm.",
        options={
            "api": _API,
            **ACCESS,
            "settings": list_of(
                "whose settings it reads, none unless given", one_of("place", "user", "project", "local")
            ),
            "servers": one_of(
                "MCP servers: those that its provider gives alone, or what its settings name too", "given", "found"
            ),
            "skills": {"type": "boolean", "description": "whether it has skills and slash commands"},
        },
    ),
    "codex": Kind(
        doc="Codex, headless; its servers are required, it has no limit of turns or cost, and states no cost.",
        options={"api": _API, **ACCESS},
    ),
    "gemini-cli": Kind(
        doc="Gemini CLI, headless; it has no limit of cost, and states none.", options={"api": _API, **ACCESS}
    ),
    "mini-swe-agent": Kind(
        doc="mini-swe-agent, headless; its one tool is a shell, it knows no MCP.",
        options={"api": _API, **ACCESS},
    ),
    "command": Kind(
        doc="Any program: `{prompt}`, `{prompt_file}`, `{model}`, `{mcp_config}`, `{settings}`, `{model_url}` are filled in.",
        options={
            "run": _ARGV,
            "env": map_of("environment variables of the agent", WORD),
            "api": {**_API, "properties": {**_REACHED, **treatment_options.API}},
            **ACCESS,
            "result": map_of("fact → dotted path into the JSON that the program prints; `{}`: it prints none", WORD),
            "events": {
                "type": "boolean",
                "description": 'whether it also prints what it does, one JSON object a line: `{"event": "call", …}`',
            },
        },
        required=("run",),
    ),
    "noop": Kind(doc="Does nothing; must fail every task."),
    "reference": Kind(doc="Applies the reference change; must solve every task."),
    "replay": Kind(
        doc="Plays recorded turns again, their calls made for real; scripted agents, good and bad, are written in its format.",
        options={"recordings": text("folder of recordings, seen from the spec")},
        required=("recordings",),
    ),
    "simulated": Kind(
        doc="Draws its trials from a profile of each arm; never evidence.",
        options={"profiles": map_of("arm → its profile", _PROFILE), "seed": _SEED},
        required=("profiles", "seed"),
    ),
}
"""Kinds of agents; ``api``, ``pass_env`` and ``network`` are those of every agent that calls a model."""
