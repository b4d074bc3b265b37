"""Designs: what an operating characteristic depends on, and what it does not; and simulations held against them."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from compiler.assumptions import from_agent, from_file
from compiler.design import design, design_digest
from compiler.operating import Rate, Simulation, encode, rate
from compiler.sets import draw_sets
from spec_lang.diagnostics import SpecErrors, render
from spec_lang.span import Source
from tests.compiler import world

FILE = """\
assumptions: 1
arms:
  baseline: {solve: 80 %, cost: {median: 0.42 USD, spread: 0.35}}
  notes: {solve: 82 %, cost: {median: 0.36 USD, spread: 0.35}}
"""
LOADED = world.loaded()
ARMS = sorted(LOADED.spec.arms)
CONTROL, TREATMENT = "baseline", next(each for each in ARMS if each != "baseline")
TEXT = FILE.replace("notes", TREATMENT)


def assumptions(text: str = TEXT):  # type: ignore[no-untyped-def]
    return from_file(LOADED, Source(name="assumptions.yaml", text=text))


def messages(text: str) -> str:
    with pytest.raises(SpecErrors) as found:
        assumptions(text)
    return "\n".join(render(each) for each in found.value.diagnostics)


def test_prose_does_not_count_and_the_rule_does() -> None:
    same = world.loaded(world.SPEC.replace("threats:\n", "threats:\n  - Another threat\n", 1))
    assert design_digest(design(same)) == design_digest(design(LOADED))
    more = world.loaded(world.SPEC.replace("seeds: 3", "seeds: 4", 1))
    assert more != LOADED
    assert design_digest(design(more)) != design_digest(design(LOADED))


def test_the_design_is_the_same_before_and_after_a_harvest() -> None:
    pool = world.pool(LOADED)
    sets = draw_sets(LOADED, pool, world.inputs(pool))
    assert design_digest(design(LOADED, sets)) == design_digest(design(LOADED))


def test_a_design_of_another_size() -> None:
    assert len(design(LOADED, tasks=33).tasks) == 33


def test_tasks_that_only_a_pool_can_count() -> None:
    every = world.loaded(world.edited(("take: 8", "take: all")))
    with pytest.raises(SpecErrors, match="known only once there is a pool"):
        design(every)
    pool = world.pool(every)
    assert len(design(every, draw_sets(every, pool, world.inputs(pool))).tasks) > 8


def test_facts_of_tasks_need_a_pool_where_they_decide() -> None:
    endpoint = "  exploration: {role: secondary, measure: cost, per_task: mean, compare: COMPARED, INTERVAL, MORE}\n"
    interval = "interval: {kind: clustered-t, level: 0.95}"
    told = endpoint.replace("COMPARED", f"{TREATMENT} - baseline").replace("INTERVAL", interval)
    text = world.SPEC.replace("endpoints:\n", "endpoints:\n" + told, 1)
    broken_down = world.loaded(text.replace("MORE", "by: [category]"))
    assert [each.by for each in design(broken_down).endpoints if each.name == "exploration"] == [()]
    selected = world.loaded(text.replace("MORE", 'where: [category == "odd"]'))
    with pytest.raises(SpecErrors, match="`exploration` reads facts of the tasks"):
        design(selected)
    assert "exploration" not in {each.name for each in design(selected, tasks=9).endpoints}
    pool = world.pool(selected)
    real = design(selected, draw_sets(selected, pool, world.inputs(pool)))
    assert {each.category for each in real.tasks} == {"odd", "even"}


def test_control_and_treatment_are_those_of_the_first_comparison() -> None:
    assumed = assumptions().assumed
    assert (assumed.control, assumed.treatment) == (CONTROL, TREATMENT)
    assert assumed.profiles[TREATMENT].solve == Decimal("0.82")


def test_an_arm_that_is_not_named_looks_like_the_control() -> None:
    assumed = assumptions("\n".join(TEXT.splitlines()[:3]) + "\n").assumed
    assert assumed.profiles[TREATMENT] == assumed.profiles[CONTROL]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (f"  {TREATMENT}:", f"  {TREATMENT}x:", f"nearest: `{TREATMENT}`"),
        ("assumptions: 1\n", "assumptions: 1\ncontrol: basline\n", "nearest: `baseline`"),
        ("assumptions: 1\n", "assumptions: 1\nscenarios: {no_diference: {claim: true}}\n", "nearest: `no_difference`"),
        ("  baseline:", f"  {TREATMENT}:", "twice"),
    ],
)
def test_assumptions_that_do_not_fit(old: str, new: str, says: str) -> None:
    assert says in messages(TEXT.replace(old, new, 1))


def test_the_control_needs_a_profile() -> None:
    text = "assumptions: 1\narms: {" + TREATMENT + ": {solve: 5 %}}\n"
    assert "the control `baseline` has no profile" in messages(text)


def test_a_spec_without_a_simulated_agent_needs_a_file() -> None:
    with pytest.raises(SpecErrors, match=r"assumptions\.yaml|nothing says"):
        from_agent(LOADED)


# --- a spec that names a simulation ---


def simulation(**changes: object) -> Simulation:
    made = Simulation(
        experiment="another",
        design=design_digest(design(LOADED)),
        seed=1,
        experiments=2000,
        resamples=2000,
        tasks=6,
        trials=36,
        control=CONTROL,
        treatment=TREATMENT,
        assumptions={},
        assumptions_digest="",
        power=rate(1700, 2000),
        false_positives=rate(80, 2000),
        worst="no_difference",
        scenarios=(),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def naming(more: str) -> str:
    return re.sub(
        r"sample_size:.*?(?=^threats:)",
        "sample_size: {rationale: power, statement: simulated, simulation: simulation.json" + more + "}\n",
        world.SPEC,
        flags=re.DOTALL | re.MULTILINE,
    )


def compiled(more: str = "", data: bytes | None = None, **changes: object):  # type: ignore[no-untyped-def]
    given = encode(simulation(**changes)) if data is None else data
    return world.compiled(naming(more), more={"simulation.json": given})


def refused(more: str = "", data: bytes | None = None, **changes: object) -> str:
    with pytest.raises(SpecErrors) as found:
        compiled(more, data, **changes)
    return "\n".join(render(each) for each in found.value.diagnostics)


def test_a_simulation_of_this_design_is_an_input() -> None:
    done = compiled(", power: 0.8, false_positive: 0.05")
    assert b'"simulation":"simulation.json"' in done.spec_bytes
    assert b'"simulation.json":"sha256:' in done.spec_bytes
    other = compiled(", power: 0.8, false_positive: 0.05", seed=2)
    assert other.spec_digest != done.spec_digest


def test_a_simulation_of_another_design_is_refused() -> None:
    said = refused(design="sha256:" + "0" * 64)
    assert "[P377]" in said
    assert "simulation: simulation.json" in said
    assert "prereg simulate" in said


def test_a_file_that_is_no_simulation_is_refused() -> None:
    assert "[P379]" in refused(data=b"{}")
    assert "[P379]" in refused(data=b"nonsense")


@pytest.mark.parametrize(
    ("more", "changes", "says"),
    [
        (", power: 0.9", {}, "power of at least 0.9 is claimed, and the simulation shows 0.8500"),
        (", false_positive: 0.03", {}, "false positive of at most 0.03 is claimed, and the simulation shows 0.0400"),
        (", power: 0.8", {"power": rate(90, 100)}, "100 experiments are too few"),
    ],
)
def test_a_claim_that_the_simulation_does_not_bear_out(more: str, changes: dict[str, Rate], says: str) -> None:
    said = refused(more, **changes)
    assert "[P378]" in said
    assert says in said
    assert "^" in said


def test_a_claim_within_the_monte_carlo_error_warns() -> None:
    done = compiled(", power: 0.86")
    assert [each.code for each in done.warnings if each.code == "P378"] == ["P378"]


def test_a_claim_needs_its_simulation() -> None:
    with pytest.raises(SpecErrors, match="`power` needs `simulation` beside it"):
        world.loaded(naming(", power: 0.8").replace(", simulation: simulation.json", ""))
