"""How often each interval holds the truth, each test rejects a true null, and each shipped rule is wrong: Monte Carlo with its error.

Usage: python benchmarks/calibration.py [--draws 400] [--seed 1] [--full] [--rules [NAME]]
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from compiler.assumptions import from_agent, from_file
from compiler.design import design
from compiler.margins import Margin
from compiler.operating import rate
from compiler.plan import AnalysisPlan
from compiler.worlds import CHEAPER, Assumed, World, worlds
from prereg import simulating
from spec_lang.diagnostics import SpecErrors
from spec_lang.expr.ast import reads
from spec_lang.load import load, read_source
from spec_lang.model import Draw, TaskSet
from spec_lang.span import Source
from stats.bootstrap import bootstrap
from stats.clustered import clustered_interval
from stats.hodges_lehmann import hodges_lehmann
from stats.mcnemar import mcnemar
from stats.permutation import sign_flip
from stats.proportions import PairedCounts, newcombe_paired, tango_score_paired, wilson
from stats.signed_rank import signed_rank

LEVEL = Fraction(19, 20)
CENTS = 100
NOMINAL = 0.05
SPECS = Path(__file__).resolve().parent.parent / "specs"


@dataclass(frozen=True)
class Row:
    """One procedure under one truth: how often it did what it should do at the nominal rate, and the mean width."""

    what: str
    truth: str
    n: int
    nominal: float
    rate: float
    draws: int
    width: float | None

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate."""
        return math.sqrt(max(self.rate * (1 - self.rate), 1 / self.draws) / self.draws)


def covered(what: str, truth: str, n: int, value: float, intervals: Iterator[tuple[float, float]]) -> Row:
    ends = list(intervals)
    rate = sum(low - 1e-12 <= value <= high + 1e-12 for low, high in ends) / len(ends)
    width = sum(high - low for low, high in ends) / len(ends)
    return Row(what, truth, n, float(LEVEL), rate, len(ends), width)


def paired_rows(draws: int, chance: np.random.Generator, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Paired proportions: (both, treatment only, baseline only, neither)."""

    @cache
    def boot(b: int, c: int, n: int, method: str, ties: str) -> tuple[float, float]:
        values = [Fraction(1)] * b + [Fraction(-1)] * c + [Fraction(0)] * (n - b - c)
        got = bootstrap(values, statistic="mean", method=method, level=LEVEL, resamples=None, ties=ties)
        return (got.estimate, got.estimate) if got.lo is None else (got.lo, got.hi)

    @cache
    def closed(procedure: Callable[..., object], table: tuple[int, ...]) -> tuple[float, float]:
        got = procedure(PairedCounts(n11=table[0], n10=table[1], n01=table[2], n00=table[3]), level=LEVEL)
        return got.lo, got.hi

    for truth in (
        (0.82, 0.09, 0.045, 0.045),
        (0.85, 0.05, 0.05, 0.05),
        (0.50, 0.15, 0.15, 0.20),
        (0.55, 0.30, 0.05, 0.10),
    ):
        for n in sizes:
            tables = [tuple(map(int, row)) for row in chance.multinomial(n, truth, size=draws)]
            delta, name = truth[1] - truth[2], "/".join(f"{share:g}" for share in truth)
            yield covered("Newcombe", name, n, delta, (closed(newcombe_paired, table) for table in tables))
            yield covered("Tango", name, n, delta, (closed(tango_score_paired, table) for table in tables))
            for method, ties in (("percentile", "mid"), ("bca", "mid"), ("bca", "strict")):
                label = f"bootstrap {method} {ties if method == 'bca' else ''}".strip()
                yield covered(label, name, n, delta, (boot(t[1], t[2], n, method, ties) for t in tables))


def one_proportion_rows(draws: int, chance: np.random.Generator, sizes: tuple[int, ...]) -> Iterator[Row]:
    for share in (0.5, 0.7, 0.95):
        for n in sizes:
            solved = chance.binomial(n, share, size=draws)
            results = (wilson(int(x), n, level=LEVEL) for x in solved)
            yield covered("Wilson", f"{share:g}", n, share, ((got.lo, got.hi) for got in results))


def cents(values: np.ndarray) -> list[Fraction]:
    return [Fraction(int(value), CENTS) for value in np.rint(values * CENTS)]


def shift_rows(draws: int, chance: np.random.Generator, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Medians of differences: symmetric, and skewed as costs are (their median is 0 in both)."""
    laws: dict[str, Callable[[int], np.ndarray]] = {
        "normal": lambda n: chance.normal(0, 1, n),
        "log-normal": lambda n: chance.lognormal(0, 0.8, n) - 1,
    }
    for name, draw in laws.items():
        for n in sizes:
            samples = [cents(draw(n)) for _ in range(draws)]
            for method in ("percentile", "bca"):
                results = [
                    bootstrap(s, statistic="median", method=method, level=LEVEL, resamples=None) for s in samples
                ]
                yield covered(f"bootstrap {method} of the median", name, n, 0.0, ((got.lo, got.hi) for got in results))
            if name == "normal":  # the others' truth is the centre of symmetry, or the mean
                results = [hodges_lehmann(s, level=LEVEL) for s in samples]
                yield covered("Hodges-Lehmann", name, n, 0.0, ((got.lo, got.hi) for got in results))


def mean_rows(draws: int, chance: np.random.Generator, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Means: three seeds a task with a task effect (clustered), and a skewed mean (bootstrap)."""
    for n in sizes:
        samples = [cents((chance.normal(0, 1, (n, 1)) + chance.normal(0, 1, (n, 3))).ravel()) for _ in range(draws)]
        labels = [task for task in range(n) for _ in range(3)]
        results = [clustered_interval(s, labels, level=LEVEL) for s in samples]
        yield covered("clustered t, CR1", "normal, 3 seeds", n, 0.0, ((got.lo, got.hi) for got in results))
        truth = math.exp(0.32) - 1
        skewed = [cents(chance.lognormal(0, 0.8, n) - 1) for _ in range(draws)]
        for method in ("percentile", "bca"):
            got = [
                bootstrap(s, statistic="mean", method=method, level=LEVEL, resamples=1000, seed=k)
                for k, s in enumerate(skewed)
            ]
            yield covered(f"bootstrap {method} of the mean", "log-normal", n, truth, ((one.lo, one.hi) for one in got))


def test_rows(draws: int, chance: np.random.Generator, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Rejections of a true null at 5%: exact tests must not exceed it."""
    for n in sizes:
        samples = [cents(chance.normal(0, 1, n)) for _ in range(draws)]
        p_values = {
            "signed rank, two-sided": [signed_rank(s, zeros="wilcox", alternative="two-sided").p for s in samples],
            "signed rank, less": [signed_rank(s, zeros="pratt", alternative="less").p for s in samples],
            "sign flip, two-sided": [sign_flip(s, alternative="two-sided").p for s in samples],
        }
        discordant = chance.binomial(n, 0.3, size=draws)
        wins = chance.binomial(discordant, 0.5)
        exact = [mcnemar(int(b), int(m - b)) for m, b in zip(discordant, wins, strict=True)]
        p_values["McNemar exact"] = [one.p_two_sided for one in exact]
        p_values["McNemar mid-p"] = [one.mid_p_two_sided for one in exact]
        for what, values in p_values.items():
            yield Row(what, "null", n, 0.05, sum(p < 0.05 for p in values) / draws, draws, None)


SECTIONS = (one_proportion_rows, paired_rows, shift_rows, mean_rows, test_rows)

ASSUMED = """\
assumptions: 1
arms:
  {control}: {{solve: 80 %, cost: {{median: 0.40 USD, spread: 0.5}}, harness_failure: 3 %, timeout: 1 %, turns: 18, tool_calls: 30}}
"""
"""What is assumed of a shipped spec whose agent is a real one and that has no assumptions.yaml: the arms do not differ."""


def shipped() -> Iterator[tuple[str, simulating.Drawing]]:
    """The decision rules of specs/, each with its own assumptions where it has some."""
    for path in sorted(SPECS.glob("*/*.yaml")):
        if not path.read_text(encoding="utf-8").startswith(
            ("prereg:", "#")
        ) or "\nprereg: 1\n" not in "\n" + path.read_text("utf-8"):
            continue
        name = f"{path.parent.name}/{path.stem}"
        try:
            yield name, drawing_of(path)
        except SpecErrors as fault:
            print(f"{name}: not simulated: {fault.diagnostics[0].summary}")


def drawing_of(path: Path) -> simulating.Drawing:
    loaded = load(read_source(path))
    own = path.parent / "assumptions.yaml"
    if own.is_file():
        read = from_file(loaded, read_source(own))
    elif loaded.spec.agent.kind == "simulated":
        read = from_agent(loaded)
    else:
        compared = [each.compare for each in loaded.spec.endpoints.values() if each.compare is not None]
        control = tuple(reads(compared[0].tree))[-1] if compared else min(loaded.spec.arms)
        read = from_file(loaded, Source(name="assumed", text=ASSUMED.format(control=control)))
    return simulating.Drawing(loaded=loaded, read=read, sets=None, warnings=())


def plan_of(drawing: simulating.Drawing, folder: Path) -> AnalysisPlan:
    """The design of a spec; a set that only a pool can count is as large as its folder, or as what it would take at most."""
    spec = drawing.loaded.spec
    sets = {name: replace(each, draw=_counted(each, folder)) for name, each in spec.tasks.items()}
    loaded = replace(drawing.loaded, spec=replace(spec, tasks=sets))
    try:
        return design(loaded)
    except SpecErrors:  # an endpoint that decides nothing reads facts of a pool
        return design(loaded, tasks=sum(int(each.draw.take) for each in sets.values() if each.use == "decision"))


def _counted(tasks: TaskSet, folder: Path) -> Draw:
    path, take = tasks.source.options.get("path"), tasks.draw.take
    if take == "all" and isinstance(path, str):
        take = sum(each.is_dir() for each in (folder / path).iterdir())
    return replace(tasks.draw, take=take, at_most=False)


AS_PUBLISHED = {
    "neuralmind/spec": (
        Margin(endpoint="solved", share=Decimal("0.05"), per_task="majority", seeds=3),
        "word for word the rule of a published benchmark: its guard counts tasks (one of 20), and no test stands behind it",
    )
}
"""Rules that are not ours to change, the margin that they mean, and why they let through more than their tests' level."""


def _nulls(name: str, assumed: Assumed) -> list[World]:
    found = [each for each in worlds(assumed) if not each.claim]
    if name in AS_PUBLISHED:
        at_margin = worlds(replace(assumed, margin=AS_PUBLISHED[name][0]))
        found += [replace(each, name="one_task_fewer") for each in at_margin if each.name == CHEAPER]
    return found


def rule_rows(experiments: int, seed: int, only: str = "") -> Iterator[str]:
    """How often each shipped rule supports its claim in worlds where the claim is false, beside its nominal level.

    A world lies where the claim is just false: at no difference, or at the margin that the rule registers. The level counts
    as kept where the rate is no more than two standard errors (of a rate that is the level) above it.
    """
    allowed = NOMINAL + 2 * math.sqrt(NOMINAL * (1 - NOMINAL) / experiments)
    for name, drawing in shipped():
        if only not in name:
            continue
        try:
            plan = plan_of(drawing, SPECS / name.partition("/")[0])
        except SpecErrors as fault:
            yield f"{name:<34} not simulated: {fault.diagnostics[0].summary}"
            continue
        nulls = _nulls(name, drawing.read.assumed)
        asked = simulating.Asked(experiments=experiments, seed=seed)
        played = simulating.play_all(plan, [(each.profiles, experiments) for each in nulls], asked)
        for world, results in zip(nulls, played, strict=True):
            found = rate(sum(each.status == "supported" for each in results), len(results))
            assert found.rate is not None
            assert found.error is not None
            within = "within" if float(found.rate) <= allowed else "ABOVE"
            yield (
                f"{name:<34} {world.name:<20} {len(plan.tasks):>4} {NOMINAL:>8.3f} {found.rate:>9.3f} {found.error:>8.3f} {within:>7}"
            )
        if name in AS_PUBLISHED:
            yield f"{'':<34} {AS_PUBLISHED[name][1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="10,000 draws and more sizes; minutes")
    parser.add_argument("--rules", nargs="?", const="", help="only the decision rules (of specs whose name holds NAME)")
    options = parser.parse_args()
    draws, sizes = (10_000, (10, 22, 50, 100)) if options.full else (options.draws, (22, 50))
    print(f"{'procedure':<34} {'truth':<20} {'n':>4} {'nominal':>8} {'observed':>9} {'± error':>8} {'width':>7}")
    for section in SECTIONS if options.rules is None else ():
        for row in section(draws, np.random.default_rng(options.seed), sizes):
            width = "" if row.width is None else f"{row.width:7.3f}"
            print(
                f"{row.what:<34} {row.truth:<20} {row.n:>4} {row.nominal:>8.3f} {row.rate:>9.3f} {row.error:>8.3f} {width:>7}"
            )
    print(
        f"\n{'decision rule':<34} {'world (claim false)':<20} {'n':>4} {'nominal':>8} {'supported':>9} {'± error':>8}"
    )
    for line in rule_rows(2000 if options.full else options.draws, options.seed, options.rules or ""):
        print(line, flush=True)


if __name__ == "__main__":
    main()
