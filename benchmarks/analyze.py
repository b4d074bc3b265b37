"""Seconds of processor time to judge 60,000 outcomes, beside a plain pass that only parses the same ledger as JSON."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from analyzer.verdict_file import encode
from ledger.chain import encode as encode_line
from tests.analyzer.runs import Shot, judged, lines_of, plan_of

SHAPES = ((200, 150), (1000, 30), (2000, 15))
"""(tasks, seeds), two arms: 60,000 outcomes each."""


def shot(task: str, arm: str, seed: int) -> Shot:
    number = int(task[1:])
    cents = 40 + (number * 7919 + seed * 104729 + (arm == "neuralmind") * 15485863) % 97
    return Shot(cost=f"0.{cents:03}", solved=cents % 5 != 0)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def main() -> None:
    for tasks, seeds in SHAPES:
        plan = plan_of(tasks=tasks, seeds=seeds)
        lines = lines_of(plan, shot)
        data = [encode_line(line) for line in lines]
        _, plain = timed(lambda data=data: sum(json.loads(line)["seq"] for line in data))
        verdict, judging = timed(lambda plan=plan, lines=lines: judged(plan, lines))
        print(
            f"{tasks:>5} tasks x 2 arms x {seeds:>3} seeds: judge {judging:5.2f} s, plain pass {plain:5.2f} s, "
            f"ratio {judging / plain:4.1f}, verdict.json {len(encode(verdict)) / 1e6:.1f} MB, {verdict.status}"
        )


if __name__ == "__main__":
    main()
