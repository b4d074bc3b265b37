"""The rates, the sturdiness and the size of the next run as lines for the calculator."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from analyzer.derivation import Derivation, number
from analyzer.document import Facts
from analyzer.rates import LEVEL, Rate, Tries, apart, rate, side_by_side
from analyzer.rederive import bootstrap_inputs


def rates(facts: Facts) -> Iterator[Derivation]:
    """Give pass@1 of every arm and category with its interval, pass@k, pass^k, and how often two runs disagree.

    A page with too few tasks for a rate shows none, and has nothing here.
    """
    plan = facts.document.plan
    if facts.few:
        return
    categories = sorted({task.category for task in plan.tasks if task.category is not None})
    for arm in plan.arms:
        by_task = facts.tries[arm]
        yield from _rate(facts.rates[arm], by_task, f"pass@1 of {arm}")
        for category in categories:
            within = facts.by_category[arm][category]
            yield from _rate(rate(within), within, f"pass@1 of {arm}, {category}")
        counts: list[tuple[int, int]] = list(by_task.values())
        for k, found in enumerate(facts.over_k[arm], start=1):
            if found is not None and plan.seeds > 1:
                yield Derivation(
                    of=f"pass@{k} and pass^{k} of {arm}",
                    procedure="pass_k_of_tasks",
                    inputs={"tasks": counts, "k": k},
                    gives={"pass_at_k": found[0], "pass_hat_k": found[1]},
                )
        within_arm = facts.disagreement[arm]
        if within_arm is not None:
            yield Derivation(
                of=f"two runs of {arm} disagree",
                procedure="self_disagreement_pairwise",
                inputs={"tasks": counts},
                gives={"mean": within_arm},
            )
    yield from _between(facts)


def _between(facts: Facts) -> Iterator[Derivation]:
    for arms in side_by_side(facts.document.plan):
        for one, other in combinations(arms, 2):
            first, second = facts.tries[one], facts.tries[other]
            shared = [task for task in first if task in second]
            if shared:
                yield Derivation(
                    of=f"a run of {one} and one of {other} disagree",
                    procedure="runs_apart",
                    inputs={"one": [first[task] for task in shared], "other": [second[task] for task in shared]},
                    gives={"value": apart(first, second)},
                )


def _rate(found: Rate, by_task: Mapping[str, Tries], name: str) -> Iterator[Derivation]:
    shares = [number(Fraction(*each)) for each in by_task.values()]
    if found.share is None:
        return
    yield Derivation(of=name, procedure="summary", inputs={"x": shares}, gives={"mean": found.share})
    if found.ends is None:
        return
    if all(of == 1 for _, of in by_task.values()):
        inputs = {"x": found.passed, "n": found.scored, "conf_level": float(LEVEL)}
        gives = {"lo": found.ends[0], "hi": found.ends[1]}
        yield Derivation(of=f"{name}: interval", procedure="wilson", inputs=inputs, gives=gives)
    else:
        labels = [str(place) for place in range(len(shares))]
        # A report cuts the interval of a share at 0 and at 1.
        gives = {key: end for key, end in zip(("lo", "hi"), found.ends, strict=True) if 0 < end < 1}
        yield Derivation(
            of=f"{name}: interval",
            procedure="clustered_interval",
            inputs={"scores": shares, "clusters": labels, "conf_level": float(LEVEL)},
            gives=gives,
        )


def sturdiness(facts: Facts) -> Iterator[Derivation]:
    """Give the exact law beside each seeded interval, and Fisher's p of each imbalance."""
    endpoints = {each.name: each for each in facts.document.plan.endpoints}
    for each in facts.weighed:
        endpoint = endpoints[each.endpoint]
        if each.ideal is None or endpoint.interval is None:
            continue
        differences = [number(found) for found in each.differences]
        options, kind = endpoint.interval.options, endpoint.interval.kind
        yield Derivation(
            of=f"{each.name}: interval by the exact law",
            procedure="bootstrap",
            inputs=bootstrap_inputs(options, endpoint.statistic or "mean", kind, differences, ideal=True),
            gives={"lo": each.ideal[0], "hi": each.ideal[1]},
        )
    for odd in facts.imbalances:
        yield Derivation(
            of=f"imbalance: {odd.label}, {odd.arm} against {odd.baseline}",
            procedure="fisher_exact",
            inputs={"one": odd.one, "other": odd.other},
            gives={"p": odd.p},
        )


def next_size(facts: Facts) -> Iterator[Derivation]:
    """Give the number of tasks that the registered formula asks of the next run."""
    sized: Mapping[str, object] = facts.document.verdict.sizing
    if sized.get("n") is None:
        return
    yield Derivation(
        of="tasks of the next run",
        procedure="sample_size_wilcoxon",
        inputs={
            "sigma": sized["sigma"],
            "delta": sized["effect"],
            "alpha_one_sided": sized["alpha"],
            "power": sized["power"],
            "constants": "exact",
        },
        gives={"n": sized["n"]},
    )
