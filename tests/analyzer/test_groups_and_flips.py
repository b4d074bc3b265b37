"""The sign-flip test and clusters of tasks, from a spec's words to the number and the command that gives it again."""

from dataclasses import replace
from fractions import Fraction

import pytest

from analyzer.document import facts
from analyzer.rederive import endpoints
from compiler.pipeline import check_loaded
from compiler.plan import AnalysisPlan, Chosen
from prereg.calculating import answer
from stats.clustered import clustered_interval
from stats.permutation import sign_flip
from tests.analyzer.runs import Shot, judged, lines_of, plan_of, records_of
from tests.analyzer.test_report import document
from tests.compiler import world

FLIP = Chosen(kind="sign-flip", options={"alternative": "less", "resamples": 1000, "seed": 1})
GROUPED = Chosen(kind="clustered-t", options={"level": "0.95", "by": "category"})
SAVED = [Fraction(each, 10) for each in (3, 1, 2, 4, 2, 1, 5, 3)]


def plan(groups: int = 4) -> AnalysisPlan:
    made = plan_of(tasks=8, seeds=1)
    tasks = tuple(replace(task, category=f"g{place % groups}") for place, task in enumerate(made.tasks))
    cost = replace(made.endpoints[0], test=FLIP, interval=GROUPED)
    decision = replace(made.decision, supported_when=("cost.p < 0.05", "cost.upper < 0 USD"))
    return replace(made, tasks=tasks, endpoints=(cost,), decision=decision, sample_size={})


def shots(task: str, arm: str, seed: int) -> Shot:
    spent = 1 - SAVED[int(task[1:]) - 1] if arm == "neuralmind" else Fraction(1)
    return Shot(cost=f"{float(spent):.1f}")


def test_they_decide_and_their_commands_give_them_again() -> None:
    verdict = judged(plan(), lines_of(plan(), shots))
    values = verdict.endpoints["cost"].values
    differences = [-each for each in SAVED]
    assert values["p"] == sign_flip(differences, alternative="less").p == 1 / 256
    wanted = clustered_interval(differences, [place % 4 for place in range(8)], level="0.95")
    assert (values["lower"], values["upper"]) == pytest.approx((wanted.lo, wanted.hi), rel=1e-12)
    assert verdict.status == "supported"
    known = facts(document(plan(), records_of(plan(), shots)))
    lines = {each.of: answer(each.line) for each in endpoints(known)}
    flip, grouped = lines["cost: test"], lines["cost: interval"]
    assert flip["p"] == values["p"]
    assert (grouped["lo"], grouped["hi"]) == pytest.approx((values["lower"], values["upper"]), rel=1e-9)


def test_one_cluster_has_no_spread() -> None:
    found = judged(plan(1), lines_of(plan(1), shots))
    assert found.endpoints["cost"].values["lower"] is None
    assert found.status == "no_verdict"


def test_clusters_that_are_alike_have_no_spread() -> None:
    """Tasks differ within both clusters, and the clusters do not: an interval without a width would be certain of all others."""
    saved = (1, 1, 3, 3, 2, 2, 4, 4)
    alike = lambda task, arm, _: Shot(cost=f"0.{9 - saved[int(task[1:]) - 1] if arm == 'neuralmind' else 9}")  # noqa: E731  # one line says it
    found = judged(plan(2), lines_of(plan(2), alike)).endpoints["cost"]
    assert (found.values["lower"], found.values["upper"]) == (None, None)
    assert "do not differ from one another" in found.reasons["lower"]


OLD = "    test: {kind: wilcoxon-signed-rank, alternative: less, zeros: wilcox}\n"
FLIPPED = "    test: {kind: sign-flip, alternative: less, resamples: 1000, seed: 1}\n"


@pytest.mark.parametrize(("by", "codes"), [("category", []), ("kategory", ["P348"])])
def test_a_spec_says_them(by: str, codes: list[str]) -> None:
    new = f"{FLIPPED}    interval: {{kind: clustered-t, level: 0.95, by: {by}}}\n"
    found = check_loaded(world.loaded(world.edited((OLD, new))))
    assert [each.code for each in found if each.severity == "error"] == codes
    if not codes:
        made = world.compiled(world.edited((OLD, new)))
        assert made.plan.procedures["test:sign-flip"] == "sign-flip-mean/1"


def test_a_flip_of_yes_and_no_is_refused() -> None:
    text = world.edited(("    test: {kind: mcnemar-exact, alternative: two-sided}\n", FLIPPED))
    assert "P344" in {each.code for each in check_loaded(world.loaded(text))}
