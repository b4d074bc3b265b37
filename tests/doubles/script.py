"""What a scripted model says, turn by turn, and how its service fails: plain data that one server plays to every agent."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool as a request offers it. ``space`` is the name space that it stands in, where the protocol has such."""

    name: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    required: Sequence[str] = ()
    custom: bool = False
    space: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call of an offered tool; ``arguments`` is text for a custom tool."""

    name: str
    arguments: Any
    custom: bool = False
    space: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """What the model wants done, whatever the agent's tools are called."""

    kind: Literal["run", "edit", "mcp", "tool"]
    args: Mapping[str, Any]


def run(command: str, **more: Any) -> Act:
    """Run a command line; ``more`` goes into the call where its tool knows the name."""
    return Act(kind="run", args={"command": command, **more})


def edit(path: str, old: str, new: str) -> Act:
    """Replace text in a file."""
    return Act(kind="edit", args={"path": path, "old": old, "new": new})


def mcp(server: str, tool: str, **args: Any) -> Act:
    """Call a tool of an MCP server."""
    return Act(kind="mcp", args={"server": server, "tool": tool, "args": args})


def tool(name: str, **args: Any) -> Act:
    """Call a tool by its own name."""
    return Act(kind="tool", args={"name": name, "args": args})


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """How the service fails: an HTTP status, a request never answered, a stream cut in the middle, an answer that is none."""

    kind: Literal["status", "hang", "cut", "garbage"]
    status: int = 500
    at: int | None = None
    """Turn at which it strikes, from 0; None: every turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """Turns that act, then one that says ``answer``. ``loop``: it never comes to its answer."""

    turns: Sequence[Sequence[Act]] = ()
    answer: str = "Done."
    fault: Fault | None = None
    loop: bool = False
    input_tokens: int = 1000
    cache_read: int = 200
    output_tokens: int = 50
    when: Mapping[str, "Script"] = field(default_factory=dict)
    """What is played in its place where a request holds a text, such as a later prompt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One answer of the model."""

    text: str
    calls: tuple[Call, ...]
    script: Script


def turn(script: Script, number: int, offered: Sequence[Tool]) -> Turn:
    """Give the model's turn of that number, its acts as calls of the tools that are offered."""
    if script.loop and script.turns:
        number %= len(script.turns)
    if number >= len(script.turns):
        return Turn(text=script.answer, calls=(), script=script)
    return Turn(text="", calls=tuple(_call(act, offered) for act in script.turns[number]), script=script)


def _call(act: Act, offered: Sequence[Tool]) -> Call:
    args = act.args
    if act.kind == "run":
        return _run(args, offered)
    if act.kind == "edit":
        return _edit(args, offered)
    if act.kind == "tool":
        return Call(name=args["name"], arguments=args["args"])
    server, name = args["server"], args["tool"]
    for each in offered:
        if each.name == name and each.space is not None and server in each.space:
            return Call(name=name, arguments=args["args"], space=each.space)
    known = [f"mcp__{server}__{name}", f"mcp_{server}_{name}"]
    found = next((each.name for each in offered if each.name in known), None)
    if found is None and any(each.name == "tool_search" for each in offered):  # its tools are there, and not shown
        return Call(name=name, arguments=args["args"], space=f"mcp__{server}")
    return Call(name=found or known[0], arguments=args["args"])


def _run(args: Mapping[str, Any], offered: Sequence[Tool]) -> Call:
    names = ("Bash", "run_shell_command", "exec_command", "shell", "shell_command", "bash")
    shell = next(each for name in names for each in offered if each.name == name)
    command: Any = args["command"]
    if shell.properties.get("command", {}).get("type") == "array":
        command = ["bash", "-lc", command]
    wanted = {"description": "a scripted step", **args, "command": command, "cmd": command}
    return Call(name=shell.name, arguments={key: wanted[key] for key in shell.properties if key in wanted})


def _edit(args: Mapping[str, Any], offered: Sequence[Tool]) -> Call:
    path, old, new = args["path"], args["old"], args["new"]
    for each in offered:
        if each.name in ("Edit", "replace"):
            wanted = {"file_path": path, "old_string": old, "new_string": new, "instruction": "a scripted step"}
            return Call(name=each.name, arguments={key: wanted[key] for key in each.properties if key in wanted})
        if each.name == "apply_patch" and each.custom:
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"
            return Call(name=each.name, arguments=patch, custom=True)
    code = "import sys;p,a,b=sys.argv[1:];s=open(p).read();open(p,'w').write(s.replace(a,b,1))"
    return _run({"command": shlex.join(["python3", "-c", code, path, old, new])}, offered)
