"""How long prereg simulate takes for 2,000 experiments of 20 tasks, 2 arms and 3 seeds, beside the floor of drawing alone.

Usage: python benchmarks/simulate.py [--experiments 2000] [--workers N]

The floor draws the same trials, and resamples the same number of indices, with one numpy call each and judges nothing: what
remains above it is Python making a ledger and reading it exactly, as a run's is read.
"""

import argparse
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from compiler.assumptions import from_agent
from compiler.design import design
from compiler.worlds import worlds
from prereg import simulating
from spec_lang.load import load, read_source

SPEC = Path(__file__).resolve().parent.parent / "specs" / "task-outcome" / "spec.yaml"
TASKS, MOST = 20, 60.0


def floor(experiments: int, trials: int) -> float:
    """Processor seconds to draw everything with numpy: solve, cost, loss and lateness of each trial, and the resampled medians."""
    chance, start = np.random.default_rng(1), time.process_time()
    for _ in range(experiments):
        chance.normal(size=(4, trials))
        values = chance.normal(size=TASKS)
        np.median(values[chance.integers(0, TASKS, (simulating.RESAMPLES, TASKS))], axis=1)
    return time.process_time() - start


def processor() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    used = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=simulating.EXPERIMENTS)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    loaded = load(read_source(SPEC))
    plan = design(loaded, tasks=TASKS)
    every = worlds(from_agent(loaded).assumed)
    asked = simulating.Asked(experiments=options.experiments, workers=options.workers)
    trials = TASKS * len(plan.arms) * plan.seeds
    drawn = floor(options.experiments, trials)
    for name, some in (("one world", every[:1]), ("all worlds of the verb", every)):
        times = [(each.profiles, simulating.times(each, asked)) for each in some]
        start, used = time.perf_counter(), processor()
        simulating.play_all(plan, times, asked)
        taken, busy = time.perf_counter() - start, processor() - used
        count = sum(number for _, number in times)
        least = drawn * count / options.experiments
        print(
            f"{name:<22} {count:>6} experiments x {trials} trials: {taken:6.1f} s on {options.workers} processes "
            f"(wanted: {MOST:.0f} s), processors busy {busy:6.1f} s, {busy / count * 1000:5.2f} ms each; "
            f"floor of drawing {least:5.1f} s, ratio {busy / least:4.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
