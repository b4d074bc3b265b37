"""Our statistics beside scipy's in one run: seconds, peak memory and their ratios.

Usage: python benchmarks/arithmetic.py [--quick]
"""

# ruff: noqa: PLC0415 - libraries are loaded by the side that needs them, so that memory is that side's own

import argparse
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

RESAMPLES = 10_000


def data(n: int) -> list[Fraction]:
    """Skewed differences in hundredths of a cent, without a random generator."""
    return [Fraction(((k * 7919) % 10007) ** 2 % 9973 - 4000, 10_000) for k in range(1, n + 1)]


def pairs(n: int) -> list[Fraction]:
    return [Fraction((k * 7 % 10 < 3) - (k * 7 % 10 == 9)) for k in range(n)]


def ours_bootstrap(values: list[Fraction], statistic: str, resamples: int | None) -> Callable[[], object]:
    from stats.bootstrap import bootstrap

    return lambda: bootstrap(values, statistic=statistic, method="bca", level="0.95", resamples=resamples, seed=1)


def scipy_bootstrap(values: list[Fraction], statistic: str, batch: int | None) -> Callable[[], object]:
    import numpy as np
    from scipy.stats import bootstrap

    sample = (np.array([float(value) for value in values]),)
    function = np.median if statistic == "median" else np.mean
    return lambda: bootstrap(
        sample, function, n_resamples=RESAMPLES, batch=batch, method="BCa", rng=np.random.default_rng(1)
    )


def ours_signed_rank(n: int) -> Callable[[], object]:
    from stats.signed_rank import signed_rank

    return lambda: signed_rank(data(n), zeros="wilcox", alternative="less")


def scipy_signed_rank(n: int) -> Callable[[], object]:
    from scipy.stats import wilcoxon

    sample = [float(value) + k * 1e-9 for k, value in enumerate(data(n))]  # scipy is exact without ties only
    return lambda: wilcoxon(sample, method="exact", alternative="less")


def best(function: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function()
        times.append(time.perf_counter() - start)
    return min(times)


def table(*, quick: bool) -> list[tuple[str, float, float]]:
    repeats, n = (2, 200) if quick else (5, 1000)
    big = 1000 if quick else 10_000
    rows: list[tuple[str, float, float]] = []

    def add(name: str, one: Callable[[], object], other: Callable[[], object], times: int = repeats) -> None:
        rows.append((name, best(one, times), best(other, times)))

    for name, values, statistic in (
        ("median", data(n), "median"),
        ("proportions", pairs(n), "mean"),
        ("mean", data(n), "mean"),
    ):
        peer = scipy_bootstrap(values, statistic, (1 << 20) // n)
        add(f"BCa, {name}, {n} tasks, {RESAMPLES} resamples", ours_bootstrap(values, statistic, RESAMPLES), peer)
    add(
        f"BCa, median, {n} tasks, ideal law",
        ours_bootstrap(data(n), "median", None),
        scipy_bootstrap(data(n), "median", (1 << 20) // n),
    )
    add(
        f"BCa, proportions, {n} tasks, ideal law",
        ours_bootstrap(pairs(n), "mean", None),
        scipy_bootstrap(pairs(n), "mean", (1 << 20) // n),
    )
    add(
        f"BCa, median, {big} tasks, {RESAMPLES} resamples",
        ours_bootstrap(data(big), "median", RESAMPLES),
        scipy_bootstrap(data(big), "median", (1 << 20) // big),
        2,
    )
    add(f"exact signed rank, {n} tasks (ours with ties)", ours_signed_rank(n), scipy_signed_rank(n))
    return rows


def peak(who: str, n: int) -> float:
    """Peak memory in MB of a fresh process that does one BCa of a median."""
    done = subprocess.run(
        [sys.executable, __file__, "--measure", who, str(n)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def measure(who: str, n: int) -> None:
    function = (
        ours_bootstrap(data(n), "median", RESAMPLES) if who == "ours" else scipy_bootstrap(data(n), "median", None)
    )
    function()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer tasks and repeats")
    parser.add_argument("--measure", nargs=2, metavar=("WHO", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure[0], int(options.measure[1]))
        return
    print(f"{'what':<52} {'ours':>10} {'scipy':>10} {'scipy/ours':>11}")
    for name, ours, scipy in table(quick=options.quick):
        print(f"{name:<52} {ours * 1e3:>7.1f} ms {scipy * 1e3:>7.1f} ms {scipy / ours:>11.1f}")
    n = 1000 if options.quick else 10_000
    ours, scipy = peak("ours", n), peak("scipy", n)
    print(f"{f'peak memory, BCa of a median, {n} tasks':<52} {ours:>7.0f} MB {scipy:>7.0f} MB {scipy / ours:>11.1f}")


if __name__ == "__main__":
    main()
