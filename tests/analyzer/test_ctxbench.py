"""The published figures of a context-layer benchmark, from a hand-made ledger with its counts: numbers and wording.

22 pairs of 24 tasks in four categories, two of them at ceiling; a control arm that was run twice and disagreed with itself
on three tasks; means of time and output that a few long runs carry.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from analyzer.compare import compare
from analyzer.document import facts
from analyzer.frame import frame
from analyzer.missing import Settled, settle
from analyzer.nulls import NO_EFFECT, TAIL_ONLY
from analyzer.rates import rate, tries
from analyzer.report import page
from compiler.plan import AnalysisPlan, Chosen, EndpointPlan, MissingPlan, TaskFacts
from tests.analyzer.runs import DECISION, Shot, lines_of, plan_of, records_of, trials_of
from tests.analyzer.test_report import document, written

CATEGORIES = {"single_file": 6, "multi_file": 8, "cross_module": 6, "multi_turn": 4}
CONTROL, TREATMENT = "baseline", "neuralmind"
BCA = Chosen(kind="bootstrap-bca", options={"level": "0.95", "ties": "strict", "quantile": "inverted-cdf"})
SEEDED = Chosen(kind="bootstrap-bca", options={**BCA.options, "resamples": 10000, "seed": 1})
NEWCOMBE = Chosen(kind="newcombe-paired", options={"level": "0.95"})
MCNEMAR = Chosen(kind="mcnemar-exact", options={"alternative": "two-sided"})

TASKS = tuple(
    TaskFacts(id=f"{category}{number}", set="tasks", use="decision", category=category, facts={"category": category})
    for category, count in CATEGORIES.items()
    for number in range(1, count + 1)
)
EXCLUDED = {"single_file6", "multi_file8"}
"""Tasks whose treatment run never reached the agent; their pair is left out on both sides."""
LONG = {"multi_file1": 1128, "cross_module2": 551, "multi_file8": 1354, "multi_turn1": 900, "single_file1": 700}
"""Control runs that took very long; three of them solved nothing, and were quick when they were run again."""


def endpoint(name: str, **changes: object) -> EndpointPlan:
    found = EndpointPlan(
        name=name, role="primary", unit="pp", measure="solved", per_task="only",
        compare=f"{TREATMENT} - {CONTROL}", statistic="mean", test=MCNEMAR, interval=BCA,
    )  # fmt: skip
    return replace(found, **changes)  # type: ignore[arg-type]


def plan() -> AnalysisPlan:
    amount = {"test": None, "interval": Chosen(kind="bootstrap-percentile", options={"level": "0.95"})}
    return replace(
        plan_of(seeds=1),
        tasks=TASKS,
        endpoints=(
            endpoint("solved", by=("category",)),
            endpoint("seeded", role="secondary", interval=SEEDED),
            endpoint("newcombe", role="secondary", interval=NEWCOMBE),
            endpoint("single_file", role="negative-control", where=('category == "single_file"',), interval=NEWCOMBE),
            endpoint("wall", role="secondary", unit="s", measure="time", **amount),
            endpoint("output", role="secondary", unit="token", measure="output_tokens", **amount),
        ),
        decision=replace(DECISION, supported_when=("solved.lower > 0", "seeded.upper < 15 pp")),
        missing=(MissingPlan(rule="infra", when='terminal_reason == "api_error"', exclude="pair"),),
        sample_size={},
    )


def first_run(task: str, arm: str, _seed: int) -> Shot:
    """The run of both arms: three unsolved by the control, one by the treatment, two treatment runs lost to the network."""
    number = sum(map(ord, task)) % 17
    if arm == CONTROL:
        long = LONG.get(task)
        return Shot(
            solved=task not in ("multi_file1", "cross_module2", "multi_file8"),
            more={"time": long or 35 + number, "output_tokens": 9000 if long else 1000 + number},
        )
    if task in EXCLUDED:
        return Shot(solved=False, more={"terminal_reason": "api_error"})
    return Shot(
        solved=task != "cross_module1",
        more={"time": 38 + number, "output_tokens": 993 + number},
    )


def again(task: str, arm: str, _seed: int) -> Shot:
    """The control arm once more: it solves everything, and what had been long is quick."""
    quick = {"multi_file1": 82, "cross_module2": 97, "multi_file8": 68}
    return Shot(more={"time": quick.get(task, 60 + sum(map(ord, task)) % 20)})


def settled(shots: object) -> Sequence[Settled]:
    return settle(plan(), frame(plan(), lines_of(plan(), shots), trials_of(plan())))  # type: ignore[arg-type]


def rows(text: str, caption: str) -> list[list[str]]:
    """The rows of a table of the report, cell by cell."""
    block = text[text.index(f"**{caption}") :].split("\n\n")[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]]


def test_the_published_table_comes_out_in_its_words() -> None:
    text = written(plan(), records_of(plan(), first_run))
    told = {row[1]: row for row in rows(text, "Every comparison in words") if row[0] == "`solved`"}
    assert {level: row[2:6] for level, row in told.items()} == {
        "all": ["22", "+4.5 pp", "-13.6 pp to +13.6 pp, 95 %", NO_EFFECT],
        "cross_module": ["6", "0.0 pp", "-66.7 pp to +33.3 pp, 95 %", NO_EFFECT],
        "multi_file": ["7", "+14.3 pp", "0.0 pp to +42.9 pp, 95 %", NO_EFFECT],
        "multi_turn": ["4", "+0 of 4 tasks", "unknown", NO_EFFECT],
        "single_file": ["5", "+0 of 5 tasks", "unknown", NO_EFFECT],
    }
    assert "the arms differ on 3, and no split of fewer than 6 could reach 5 %" in told["all"][6]
    assert told["multi_turn"][6].startswith("too few informative pairs: every arm solved every task")
    assert "In 2 of these groupings every arm solved every task." in text
    assert "not equivalence" in text


def test_the_expected_null_is_told_first_and_did_not_help() -> None:
    text = written(plan(), records_of(plan(), first_run))
    (expected,) = rows(text, "Expected nulls")
    assert expected[:3] == ["`single_file`", "all", "5"]
    assert expected[5] == NO_EFFECT
    assert text.index("Expected nulls") < text.index("Every comparison in words")


def test_paired_counts_carry_the_claim_and_unpaired_ones_do_not() -> None:
    """20 of 22 against 21 of 22 in pairs; 21 of 24 against 21 of 22 over all admissible runs would say 8 points."""
    everything = document(plan(), records_of(plan(), first_run))
    solved = everything.verdict.endpoints["solved"].values
    assert solved["counts"] == {CONTROL: 20, TREATMENT: 21}
    assert solved["discordant"] == 3
    assert solved["p"] == 1.0
    assert solved["n"] == 22
    assert everything.verdict.status == "not_supported"
    text = written(plan(), records_of(plan(), first_run))
    assert "no claim rests on them: quote the paired endpoints" in text


def test_effects_of_the_tail_are_labelled() -> None:
    """The mean of wall time falls by two thirds, the median rises; that of output falls by a third, the median by 7."""
    found = document(plan(), records_of(plan(), first_run)).verdict.endpoints
    wall, output = found["wall"].values, found["output"].values
    assert float(str(wall["mean"])) < -50
    assert wall["median"] == 3
    assert float(str(wall["upper"])) < 0
    assert output["median"] == -7
    assert float(str(output["upper"])) < 0
    text = written(plan(), records_of(plan(), first_run))
    told = {row[0]: row[5] for row in rows(text, "Every comparison in words")}
    assert told["`wall`"] == told["`output`"] == TAIL_ONLY


def test_the_published_end_is_a_coin_toss_and_the_report_says_so() -> None:
    text = written(plan(), records_of(plan(), first_run))
    (row,) = rows(text, "Seeded intervals")
    assert row[0] == "`seeded`"
    assert row[2] == "-13.6 pp to +13.6 pp"
    assert "+13.6 pp … +18.2 pp" in row[3]
    assert "seeded.upper &lt; 15 pp" in row[4], "a condition at 15 points hangs on the seed"
    assert "seeded: another seed could turn seeded.upper" in text


def test_a_run_against_itself_is_the_noise_floor() -> None:
    one, other = ([each for each in settled(shots) if each.row.trial.arm == CONTROL] for shots in (first_alone, again))
    found = compare(CONTROL, one, other)
    assert (found.tasks, found.solved) == (24, (21, 24))
    assert {flip.task for flip in found.flips} == {"multi_file1", "cross_module2", "multi_file8"}
    assert [flip.ended for flip in found.flips if flip.task == "multi_file8"] == [("timeout",)]
    assert found.agreed is not None
    assert found.agreed.flip_rate == 0.125
    assert found.agreed.flip_wilson95 == pytest.approx((0.043443340801234416, 0.3100388127050007), rel=1e-9)
    assert found.agreed.kappa == 0
    assert found.spreads["time"].widest == ("multi_file8", 1354.0, 68.0)
    assert found.within == (None, None)


def first_alone(task: str, arm: str, seed: int) -> Shot:
    """The control arm of the first run, whose last long run was stopped by the clock; nothing is left out by itself."""
    if arm != CONTROL:
        return Shot()
    shot = first_run(task, arm, seed)
    return replace(shot, ended="timeout", more={**shot.more, "result_event": None}) if task == "multi_file8" else shot


def test_pass_at_1_carries_wilson() -> None:
    found = rate(tries(settled(first_alone), CONTROL))
    assert (found.passed, found.scored) == (21, 24)
    assert found.ends == pytest.approx((0.690, 0.957), abs=5e-4)


def test_each_arm_and_each_category_stand_in_tables() -> None:
    text = written(plan(), records_of(plan(), first_alone))
    arms = {row[0]: row[1:] for row in rows(text, "Each arm")}
    assert arms[CONTROL][:6] == ["21 of 24", "87.5 % (69.0 % to 95.7 %)", "0", "0", "1", "0"]
    assert arms[CONTROL][6:10] == ["1 USD", "24 USD", "48 s", "12 turns"]
    assert arms[TREATMENT][0] == "24 of 24"
    categories = {row[0]: row[1:] for row in rows(text, "Each category")}
    assert {name: row[0] for name, row in categories.items()} == {name: str(n) for name, n in CATEGORIES.items()}
    assert categories["multi_file"][1] == "6 of 8 (75.0 % (40.9 % to 92.9 %))"
    assert categories["multi_turn"][1] == "4 of 4"  # too few for a share
    assert {(row[0], row[-1]) for row in rows(text, "Regressions and improvements")} == {
        (task, "improved") for task in ("multi_file1", "multi_file8", "cross_module2")
    }


def test_sections_share_one_set_of_facts() -> None:
    known = facts(document(plan(), records_of(plan(), first_run)))
    assert set(known.pairings) == set(known.document.verdict.endpoints)
    assert [each.id for each in page(known.document).sections][:5] == [
        "warnings",
        "decision",
        "endpoints",
        "nulls",
        "limits",
    ]
