"""Driving real agents without a network: where they are installed, an order against a scripted model, and what is left running."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import AgentPlan, LimitsPlan
from executor.agents.claude_code import ClaudeCodeAgent
from executor.agents.codex import CodexAgent
from executor.agents.gemini_cli import GeminiCliAgent
from executor.agents.mini_swe_agent import MiniSweAgent
from executor.ports import Agent, AgentEnd, AgentOrder
from executor.sandboxes.local import LocalSandbox
from executor.treatments import McpServer
from tests.doubles.model_server import ModelServer, closed_port, model_server
from tests.doubles.script import Act, Fault, Script, edit, run
from tests.needs import require

FOLDER = Path(
    os.environ.get("PREREG_AGENTS") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "prereg-agents"
)
BROKEN, MENDED = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
KEY = "scripted-key-0001"


@dataclass(frozen=True, kw_only=True)
class Real:
    """A real agent for tests: its program, a model that it knows, how its service's address ends, how it is kept from trying on."""

    agent: Agent
    bin: str
    model: str
    path: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


REAL: Mapping[str, Real] = {
    "claude-code": Real(
        agent=ClaudeCodeAgent(),
        bin="claude-code/node_modules/.bin/claude",
        model="claude-sonnet-4-5",
        env={"CLAUDE_CODE_MAX_RETRIES": "1"},
    ),
    "codex": Real(
        agent=CodexAgent(),
        bin="codex/node_modules/.bin/codex",
        model="gpt-5.5",
        path="/v1",
        flags=tuple(
            piece
            for name in ("request_max_retries", "stream_max_retries")
            for piece in ("-c", f"model_providers.prereg.{name}=0")
        ),
    ),
    "gemini-cli": Real(
        agent=GeminiCliAgent(),
        bin="gemini-cli/node_modules/.bin/gemini",
        model="gemini-2.5-pro",
        settings={"general": {"maxAttempts": 1}},
    ),
    "mini-swe-agent": Real(
        agent=MiniSweAgent(),
        bin="mini-swe-agent/bin/mini",
        model="openai/gpt-4o",
        path="/v1",
        env={"MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "1"},
    ),
}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Real]:
    """Give a real agent whose program is on PATH; skip, or fail under CI, where it is not installed."""

    def give(kind: str) -> Real:
        real = REAL[kind]
        program = FOLDER / real.bin
        require(None if program.exists() else f"{kind} is not installed; .ci/agents installs it")
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        return real

    return give


def order(real: Real, root: Path, url: str | None, **changes: Any) -> AgentOrder:
    """Write an order on a small broken program, ``calc.py``. ``url`` None: the agent has no credentials."""
    folders = {name: root / name for name in ("workspace", "home", "artefacts")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    (folders["workspace"] / "calc.py").write_text(BROKEN)
    api = {"key_env": "SCRIPTED_KEY", "base_url_env": "SCRIPTED_URL"}
    given = {} if url is None else {"SCRIPTED_KEY": KEY, "SCRIPTED_URL": url + real.path}
    limits = changes.pop("limits", LimitsPlan(time_s=Decimal(60), cost_usd=Decimal(2), turns=20))
    options = {**({} if url is None else {"api": api}), **changes.pop("options", {})}
    agent = AgentPlan(
        kind=real.agent.kind,
        version=None,
        model=changes.pop("model", real.model),
        limits=limits,
        options=options,
    )
    settings: dict[str, Any] = {
        "trial": "t1/base/1",
        "task": "t1",
        "arm": "base",
        "seed": 1,
        "attempt": 1,
        "agent": agent,
        "prompt": '-Mend calc.py; {model} is no place, "quotes" and $HOME are text',
        "sandbox": LocalSandbox(),
        "network": "open",
        "env": {**given, **real.env, **changes.pop("env", {})},
        "flags": (*real.flags, *changes.pop("flags", ())),
        "settings": {**real.settings, **changes.pop("settings", {})},
    }
    return AgentOrder(**{**settings, **folders, **changes})


@dataclass(frozen=True, kw_only=True)
class Played:
    """What came of a run, the requests that the service saw, and what is left of the workspace."""

    end: AgentEnd
    service: ModelServer
    text: str

    @property
    def verdict(self) -> tuple[str, bool, str | None, str | None]:
        """How it ended: (ended, result event, terminal reason, step that failed)."""
        end = self.end
        return end.ended, end.result_event, end.terminal_reason, None if end.failed is None else end.failed[0]


def play(real: Real, root: Path, script: Script, **changes: Any) -> Played:
    """Run a real agent against a script in the local sandbox; whatever came of it, nothing of it may be left running."""
    refused = changes.pop("refused", False)
    logged_in = changes.pop("logged_in", True)
    with model_server(script) as service:
        url = f"http://127.0.0.1:{closed_port()}" if refused else service.url
        end = real.agent.run(order(real, root, url if logged_in else None, **changes))
    assert still_running(root) == []
    assert {name for name, value in end.measures.items() if value is None} <= set(end.reasons)
    return Played(end=end, service=service, text=(root / "workspace/calc.py").read_text())


def still_running(root: Path) -> list[str]:
    """Name the processes whose environment, command line or folder speaks of a test's own folder."""
    mark, found = str(root).encode(), []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            if (process / "stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
                continue
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            if mark in told or mark in os.fsencode((process / "cwd").readlink()):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it ended meanwhile, or is not ours
    return found


def mend(root: Path, kind: str) -> Script:
    """Mend the program, look whether it works, and end as the agent's kind ends."""
    path = str(root / "workspace/calc.py")
    look = [run("python3 -c 'import calc; print(calc.add(2, 3))'")]
    first = (
        [run(f"cat {path}")]
        if kind != "claude-code"
        else [Act(kind="tool", args={"name": "Read", "args": {"file_path": path}})]
    )
    turns = [first, [edit(path, "    return a - b", "    return a + b")], look]
    if kind == "mini-swe-agent":
        turns.append([run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")])
    return Script(turns=turns, answer="I mended calc.py.")


def failing(kind: str, status: int = 500) -> Script:
    """A service that fails always in one way: ``status``, ``hang``, ``cut`` or ``garbage``."""
    fault: Any = Fault(kind=kind, status=status)  # type: ignore[arg-type]  # parametrised
    return Script(turns=[[run("true")]], fault=fault)


def sums(mode: str = "ok", **more: Any) -> McpServer:
    """The tiny MCP server, in a mode."""
    program = Path(__file__).parents[2] / "doubles/mcp_server.py"
    return McpServer(name="sums", argv=(shutil.which("python3") or sys.executable, str(program), mode), **more)


LEAVES_CHILDREN = "setsid nohup sleep 300 >/dev/null 2>&1 & nohup sleep 301 >/dev/null 2>&1 & echo started"
"""Leaves processes behind: one in a session of its own, one in the shell's."""
BLOCKS = f"{LEAVES_CHILDREN}; python3 -c 'import time; time.sleep(200)'"
"""Leaves processes behind and never comes back."""
IS_ENDED = "kill -TERM $PPID; sleep 20"
"""Ends the agent from below, as somebody else could."""


def limits(seconds: float, **more: Any) -> LimitsPlan:
    """Limits with so many seconds."""
    settings: dict[str, Any] = {"cost_usd": Decimal(2), "turns": 20, **more}
    return LimitsPlan(time_s=Decimal(str(seconds)), **settings)
