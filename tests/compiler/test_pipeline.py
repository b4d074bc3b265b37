"""The compiler as a whole: what it takes in, what it locks, and what it refuses."""

import json
from dataclasses import replace

import pytest

from compiler.estimate import LABEL
from compiler.inputs import EARLIER, earlier_names, input_names
from compiler.pipeline import Knowledge, check_loaded, compile_spec
from compiler.plan import Plan
from compiler.pool import Pool
from compiler.task import Candidate, Reason
from ledger.canonical import canonical, digest, parse
from ledger.codec import from_plain, to_plain
from spec_lang.diagnostics import SpecErrors
from tests.compiler import world


def codes(found: SpecErrors) -> list[str]:
    return [each.code for each in found.diagnostics if each.severity == "error"]


def refused(text: str = world.SPEC, found: tuple[Candidate, ...] | None = None, **kwargs: object) -> list[str]:
    with pytest.raises(SpecErrors) as caught:
        world.compiled(text, found, **kwargs)  # type: ignore[arg-type]  # passed on as they are
    return codes(caught.value)


def test_the_fixture_compiles_without_a_word() -> None:
    done = world.compiled()
    assert done.warnings == ()
    assert len(done.plan.run.tasks) == 8
    assert len(done.plan.run.trials) == 8 * 2 * 3


def test_the_bytes_are_canonical_and_the_digests_are_theirs() -> None:
    done = world.compiled()
    assert done.plan_bytes == canonical(to_plain(done.plan))
    assert (digest(done.plan_bytes), digest(done.spec_bytes)) == (done.plan_digest, done.spec_digest)
    assert from_plain(Plan, parse(done.plan_bytes, where="plan"), where="plan") == done.plan
    assert done.plan.spec_digest == done.spec_digest


def test_a_run_plan_says_nothing_of_what_is_hoped() -> None:
    done = world.compiled()
    text = json.dumps(json.loads(done.plan_bytes)["run"])
    spec = world.loaded().spec
    for hoped in (spec.question, spec.decision.claim, "wilcoxon", "newcombe", "supported", "relative_cost"):
        assert hoped not in text


def test_every_prompt_of_the_plan_is_handed_over_under_its_digest() -> None:
    done = world.compiled()
    for task in done.plan.run.tasks:
        data = done.prompts[task.prompt]
        assert digest(data) == task.prompt
        assert data.decode().endswith("\nFix it.")


def test_excluded_and_gated_tasks_take_part_in_the_shuffle_and_are_walked_past() -> None:
    chosen = world.compiled().plan.analysis.selection["fixes"]
    assert chosen["found"] == 15
    assert set(chosen["order"]) == {f"t{number:02d}" for number in range(1, 13)} | {"t14"}
    assert not {"t03", "t14"} & set(chosen["drawn"])
    assert chosen["gated"] == {"t14": "flaky"}
    assert chosen["excluded"] == {"docs": 1, "new-name": 0}
    assert chosen["dropped"] == {
        'count(changed("parser/**/*.py")) in 1..3': 1,
        "count(fail_to_pass) >= 1 (not known: fail_to_pass)": 1,
    }


def test_a_pool_of_another_harvest_is_refused() -> None:
    other = world.edited(("committed >= date", "committed > date"))
    assert refused(other, arrange=lambda _: world.pool(world.loaded())) == ["P390"]


def test_a_pool_stays_valid_when_endpoints_arms_and_draw_change() -> None:
    other = world.edited(("statistic: median", "statistic: mean"), ("take: 8", "take: 7"), ("seeds: 3", "seeds: 5"))
    done = world.compiled(other, arrange=lambda _: world.pool(world.loaded()))
    assert len(done.plan.run.trials) == 7 * 2 * 5


def kept_against_its_facts() -> tuple[Candidate, ...]:
    first, *rest = world.candidates()
    return (replace(first, facts={**first.facts, "subject": "feat: something else"}), *rest)


def dropped_against_its_facts() -> tuple[Candidate, ...]:
    first, *rest = world.candidates()
    reasons = (Reason(code="condition", what='subject startswith "fix"'),)
    return (replace(first, status="dropped", reasons=reasons), *rest)


@pytest.mark.parametrize("found", [kept_against_its_facts(), dropped_against_its_facts()], ids=["kept", "dropped"])
def test_a_pool_that_contradicts_its_own_facts_is_refused(found: tuple[Candidate, ...]) -> None:
    assert refused(found=found) == ["P391"]


def test_an_empty_set_is_refused() -> None:
    assert "P392" in refused(found=())


def test_a_kept_candidate_without_files_is_refused() -> None:
    assert refused(found=tuple(replace(each, material=None) for each in world.candidates())) == ["P397"] * 8


def test_a_later_draw_walks_past_the_tasks_of_an_earlier_registration() -> None:
    pilot = world.compiled(world.edited(("take: 8", "take: 5")))
    name = f"sha256:{'1' * 64}"
    text = world.edited(("    draw: {sort", f'    disjoint_from: ["{name}"]\n    draw: {{sort'), ("take: 8", "take: 6"))
    done = world.compiled(text, more={f"{EARLIER}{name}": pilot.plan_bytes})
    before, after = ({task.id for task in each.plan.run.tasks} for each in (pilot, done))
    assert not before & after
    passed = done.plan.analysis.selection["fixes"]["passed"]
    assert {task for task, why in passed.items() if why == f"drawn by {name}"} <= before
    assert earlier_names(world.loaded(text).spec) == (name,)


def test_a_file_that_is_not_there_is_shown_where_it_is_named() -> None:
    spec = world.loaded()
    pool = world.pool(spec)
    given = {name: data for name, data in world.inputs(pool).items() if name != "prompts.yaml"}
    with pytest.raises(SpecErrors, match=r"there is no file prompts\.yaml") as caught:
        compile_spec(spec, pool, given)
    assert codes(caught.value) == ["P388"]


def test_the_spec_names_its_inputs() -> None:
    assert input_names(world.loaded().spec) == ("exclusions.yaml", "notes.md", "prompts.yaml")


def test_the_plan_pins_the_files_that_a_provider_writes() -> None:
    done = world.compiled()
    assert done.plan.run.files == {"notes.md": digest(world.inputs()["notes.md"])}


def test_a_secret_in_an_input_is_refused_like_one_in_the_spec() -> None:
    assert refused(notes="The key is sk-ant-api03-Qm4ZxT8vLw2RbY6nKc1.") == ["P380"]


def test_two_sets_do_not_draw_one_task() -> None:
    start = world.SPEC.index("  fixes:\n")
    end = world.SPEC.index("\nagent:")
    again = world.SPEC[start:end].replace("  fixes:", "  more:")
    text = world.SPEC[:end] + again + world.SPEC[end:]

    def both(pool: Pool) -> Pool:
        return replace(pool, candidates=(*pool.candidates, *(replace(each, set="more") for each in pool.candidates)))

    assert refused(text, arrange=both) == ["P393"] * 8


def test_the_estimate_is_a_bound_and_says_so() -> None:
    estimate = world.compiled().estimate
    assert (estimate.trials, estimate.attempts) == (48, 192)
    assert (estimate.usd, estimate.usd_limits, estimate.usd_retries) == (96, 96, 100)
    assert estimate.seconds == 48 * 1200 / 2
    assert estimate.label == LABEL


def test_an_estimate_without_a_cost_limit_is_unknown_and_not_zero() -> None:
    text = world.edited(
        ("cost: 2 USD, ", ""),
        (", budget: {total: 100 USD}", ""),
        ('{solved: "false", cost: limits.cost}', '{solved: "false"}'),
    )
    estimate = world.compiled(text).estimate
    assert (estimate.usd, estimate.usd_limits) == (None, None)
    assert estimate.unknown == "no cost limit is registered for baseline, notes"


def test_checks_run_without_a_pool() -> None:
    assert check_loaded(world.loaded()) == ()
    found = check_loaded(world.loaded(world.edited(("take: 8", "take: 4"))))
    assert [each.code for each in found if each.severity == "error"] == ["P351"]


def test_without_a_pool_a_draw_of_all_has_no_size_to_judge() -> None:
    text = world.edited((", take: 8}", ", take: all}"))
    assert check_loaded(world.loaded(text)) == ()
    few = tuple(each for each in world.candidates() if each.id in {"t01", "t02", "t03", "t13"})
    assert refused(text, found=few) == ["P351"]


def test_knowledge_adds_checks_and_never_changes_a_plan() -> None:
    known = Knowledge(command_line=lambda arm: ("agent",), reported=lambda arm: frozenset({"cost", "turns"}))
    assert world.compiled(knowledge=known).plan_bytes == world.compiled().plan_bytes


OWN = world.edited(('    prompts: {file: prompts.yaml, suffix: "\\nFix it.", refuse: [gold-file, gold-symbol]}\n', ""))


def test_a_source_may_bring_prompts_along() -> None:
    found = tuple(replace(each, facts={**each.facts, "prompt": f"Repair {each.id}."}) for each in world.candidates())
    done = world.compiled(OWN, found)
    assert [done.prompts[task.prompt].decode() for task in done.plan.run.tasks[:2]] == ["Repair t05.", "Repair t09."]


def test_a_source_that_brings_none_needs_a_prompts_file() -> None:
    assert refused(OWN) == ["P385"] * 8
