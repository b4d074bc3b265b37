"""A private set compiles from a pool that tells nothing: harvest's word for hidden facts, a place for a number, sealed prompts."""

from dataclasses import replace

import pytest

from compiler.plan import PrivatePlan
from compiler.pool import Pool
from compiler.task import Candidate, Material, Reason
from ledger.canonical import canonical
from ledger.codec import to_plain
from spec_lang.diagnostics import SpecErrors
from tests.compiler import world
from tests.compiler.world import sha

CLOSED, TESTED = 'issue.closed > date("2026-06-30")', "count(tests) >= 1"
SPEC = world.edited(
    (world.SPEC[world.SPEC.index("      kind: git-history") : world.SPEC.index("    draw:")], ""),
    (
        "draw: {sort: commit-hash, shuffle: {kind: python-random-v1, seed: 20261014}, take: 8}",
        "draw: {sort: issue.number, take: 8}",
    ),
    (world.SPEC[world.SPEC.index("    exclusions:") : world.SPEC.index("    oracle:")], ""),
)
SPEC = SPEC.replace(
    "    source:\n",
    "    source:\n      kind: issues\n      private: {store_env: FRONTIER_STORE}\n      withhold: files\n"
    "    where: [issue.closed > models.latest_cutoff, count(tests) >= 1]\n",
)


def candidate(name: str, order: int, *reasons: Reason, closed: str = "2026-08-01") -> Candidate:
    kept = not reasons
    return Candidate(
        id=name,
        set="fixes",
        status="kept" if kept else "dropped",
        facts={"issue.closed": closed, "order": order},
        reasons=reasons,
        evidence={"gate": "private"},
        material=Material(given=sha(name), held_out=sha(name), tests=sha(name), prompt=sha(f"{name} prompt"))
        if kept
        else None,
        private=sha(f"record of {name}"),
    )


POOL = (
    candidate("pa", 4),
    candidate("pb", 3),
    candidate("pc", 1, Reason(code="condition", what=TESTED)),
    candidate("pd", 2, Reason(code="unwithholdable", what="no")),
    candidate("pe", 5, Reason(code="no-merge", what="none"), Reason(code="unknown-fact", what=TESTED)),
    *(candidate(f"p{number}", number) for number in range(10, 20)),
    candidate("pf", 6, Reason(code="condition", what=CLOSED), closed="2026-01-01"),
)


def test_harvests_word_stands_for_what_is_hidden() -> None:
    done = world.compiled(SPEC, POOL)
    told = done.plan.analysis.selection["fixes"]
    assert isinstance(told, dict)
    assert told["order"] == ["pd", "pb", "pa", *(f"p{number}" for number in range(10, 20))]
    assert told["passed"] == {"pd": "gate: unwithholdable"}
    assert told["dropped"] == {CLOSED: 1, TESTED: 1, "no-merge": 1}
    assert told["drawn"] == ["pb", "pa", "p10", "p11", "p12", "p13", "p14", "p15"]


def test_the_prompt_is_a_digest_and_no_input() -> None:
    done = world.compiled(SPEC, POOL)
    task = done.plan.run.tasks[0]
    assert task.prompt == sha("pb prompt")
    assert task.private == PrivatePlan(store_env="FRONTIER_STORE", record=sha("record of pb"))
    assert done.prompts == {}
    assert b"store_env" in canonical(to_plain(done.plan))


def test_a_pool_that_contradicts_its_shown_facts_is_refused() -> None:
    early = replace(POOL[0], facts={"issue.closed": "2026-01-01", "order": 4})
    with pytest.raises(SpecErrors) as caught:
        world.compiled(SPEC, (early, *POOL[1:]))
    assert [each.code for each in caught.value.diagnostics] == ["P391"]


@pytest.mark.parametrize("key", ["issue.title", "hash"])
def test_no_order_by_what_is_hidden(key: str) -> None:
    with pytest.raises(SpecErrors) as caught:
        world.compiled(SPEC.replace("sort: issue.number", f"sort: {key}"), POOL)
    assert [each.code for each in caught.value.diagnostics] == ["P394"]


def test_a_public_candidate_has_no_stand_in() -> None:
    def public(pool: Pool) -> Pool:
        return replace(pool, candidates=tuple(replace(each, private=None) for each in pool.candidates))

    with pytest.raises(SpecErrors) as caught:
        world.compiled(SPEC, POOL, arrange=public)
    assert "P391" in {each.code for each in caught.value.diagnostics}
