"""The decision rules that are shipped let no more false claims pass than their level, in the worlds where their claims are false."""

from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from compiler.assumptions import Read, from_agent, from_file
from compiler.design import design
from compiler.worlds import worlds
from prereg import simulating
from spec_lang.load import Loaded, load, read_source
from spec_lang.span import Source

SPECS = Path(__file__).parents[2] / "specs"
NOMINAL, TIMES = 0.05, 60
MOST = round(TIMES * (NOMINAL + 3 * sqrt(NOMINAL * (1 - NOMINAL) / TIMES)))
"""So many false claims of 60 are within three standard errors of the nominal level; the benchmark counts thousands."""

REAL = "assumptions: 1\narms:\n  baseline: {solve: 80 %, cost: {median: 0.40 USD, spread: 0.5}, harness_failure: 3 %, timeout: 1 %}\n"


def assumed(loaded: Loaded) -> Read:
    if loaded.spec.agent.kind == "simulated":
        return from_agent(loaded)
    return from_file(loaded, Source(name="assumed", text=REAL))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "tasks"),
    [
        ("task-outcome", 10),
        ("context-layer", 17),
        ("task-evals", 24),
        ("cost-per-correct-task", 6),
        ("outcome-frontier", 1),
    ],
)
def test_a_shipped_rule_holds_its_level(name: str, tasks: int) -> None:
    loaded = load(read_source(SPECS / name / "spec.yaml"))
    sets = {key: replace(each, draw=replace(each.draw, take=tasks)) for key, each in loaded.spec.tasks.items()}
    loaded = replace(loaded, spec=replace(loaded.spec, tasks=sets))
    nulls = [each for each in worlds(assumed(loaded).assumed) if not each.claim]
    assert nulls
    asked = simulating.Asked(experiments=TIMES, seed=3, workers=1, resamples=200)
    plan = design(loaded, tasks=tasks)
    played = simulating.play_all(plan, [(each.profiles, TIMES) for each in nulls], asked)
    for world, results in zip(nulls, played, strict=True):
        supported = sum(each.status == "supported" for each in results)
        assert supported <= MOST, f"{world.name} ({world.says}): {supported} of {TIMES}"
