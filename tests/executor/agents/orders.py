"""An agent's order in folders of a test."""

from decimal import Decimal
from pathlib import Path
from typing import Any

from compiler.plan import AgentPlan, LimitsPlan
from executor.ports import AgentOrder, Sandbox
from executor.sandboxes.local import LocalSandbox


def agent_plan(kind: str, **changes: Any) -> AgentPlan:
    settings: dict[str, Any] = {
        "version": None,
        "model": "model-1",
        "limits": LimitsPlan(time_s=Decimal(20), cost_usd=Decimal(2), turns=60),
    }
    return AgentPlan(kind=kind, **{**settings, **changes})


def agent_order(root: Path, plan: AgentPlan, *, sandbox: Sandbox | None = None, **changes: Any) -> AgentOrder:
    folders = {name: root / name for name in ("workspace", "home", "artefacts")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    (folders["workspace"] / "tool.py").write_text("answer = 41\n")
    settings: dict[str, Any] = {
        "trial": "t1/base/1",
        "task": "t1",
        "arm": "base",
        "seed": 1,
        "attempt": 1,
        "agent": plan,
        "prompt": 'Mend `tool.py`; {model} is no place to fill. "Quotes" $HOME ünï',
        "sandbox": sandbox or LocalSandbox(),
        "network": "none",
    }
    return AgentOrder(**{**settings, **folders, **changes})


PATCH = b"--- a/tool.py\n+++ b/tool.py\n@@ -1 +1 @@\n-answer = 41\n+answer = 42\n"
