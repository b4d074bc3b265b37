"""Drives one small simulated run, as a program: ``drive_run.py ROOT``; with ``--serve`` each line on stdin starts it in a fork."""

import os
import sys
import time
from pathlib import Path

from executor import ordering
from executor.agents.simulated import SimulatedAgent
from ledger.errors import WorldFault
from tests.executor.worlds import World, arm, world

PROFILE = {
    "solve": "60 %",
    "cost": {"median": "0.4", "spread": "0.3"},
    "turns": 10,
    "tool_calls": 20,
    "harness_failure": "10 %",
}


def sixty(root: Path) -> World:
    """Ten tasks, two arms, three seeds, graded for real."""
    options = {"seed": 7, "profiles": {"base": PROFILE, "more": PROFILE}}
    arms = tuple(arm(name, "simulated", options=options, model="simulated-model") for name in ("base", "more"))
    return world(root, agent=SimulatedAgent(), tasks=10, seeds=3, arms=arms)


def serve(root: Path) -> None:
    """Fork a run for each line; say its process id, and ``done`` when it came to its end."""
    there = sixty(root)
    made = ordering.prepare(None, base=root, cache=root)
    ordering.prepare = lambda *_, **__: made  # asking the interpreter for its packages takes longer than ten trials
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _run(there)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print("done" if status == 0 else "killed" if os.WIFSIGNALED(status) else "failed", flush=True)


def _run(there: World) -> None:
    """Run; a lock that a killed run's last child still holds for a moment is waited for."""
    for _ in range(200):
        try:
            there.run()
            os._exit(0)
        except WorldFault as fault:
            if fault.reasons[0].code != "locked":
                break
            time.sleep(0.01)
    os._exit(1)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    if "--serve" in sys.argv:
        serve(place)
    else:
        progress = sixty(place).run()
        print(progress.outcomes, progress.closed)
