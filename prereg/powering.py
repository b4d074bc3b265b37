"""Size the next run: from a pilot's ledger or from assumptions, by the registered formula and by simulating the registered rule."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import stdev

from analyzer.fitting import apart, at_every_level, calibrated, differences, like_the_control, moved, spread_by
from analyzer.judge import weigh
from analyzer.powers import (
    WHICH,
    Point,
    Powered,
    Sized,
    Wanted,
    Which,
    crossing,
    detectable,
    floor,
    formula,
    point,
    sizes_to_try,
)
from analyzer.reading import tree
from analyzer.reckoned import unit_of
from analyzer.simulated_ledger import stage
from compiler.design import design
from compiler.plan import AnalysisPlan, EndpointPlan
from compiler.simulation import Profile
from ledger.errors import Fault, UndecidedFault
from prereg.case import Case
from prereg.experiment import SPEC, RunFolder, experiment_of, spec_at
from prereg.simulating import Asked, play_each, prepared
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.expr.ast import reads
from spec_lang.load import Loaded, load, read_source
from stats.deviation import Deviation, deviation_interval

CODES = {"P362": "a sizing without an effect, an alpha and a power"}

LEVEL = Decimal("0.95")
EXPERIMENTS = 400
_DRAWN = 400
"""Tasks of the draw from which a spread is read."""

_SHARES = ("share", "pp")
"""Units of comparisons that are shares: ``A / B - 1``, and the difference of a yes or no."""

Profiles = Mapping[str, Profile]


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What a sizing starts from: the spec, its arms, what their trials look like without and with the effect, and the spread."""

    source: str
    loaded: Loaded
    inputs: Mapping[str, bytes]
    plan: AnalysisPlan
    wanted: Wanted
    sigma: Deviation
    level: Decimal | None
    tasks: int
    lowers: bool
    null: Profiles | None
    effect: Callable[[Profiles], Profiles | None]
    words: tuple[str, ...]


def from_run(folder: RunFolder, asked: Asked, *, report: Callable[[int, int], None]) -> Powered:
    """Size the next run from a pilot. It has to be analyzed first: a spread is an outcome, and looking at it is recorded there.

    Raises:
        SpecErrors: Its spec registers no formula for a next run.
        UndecidedFault: The run is open, was not analyzed, or shows no spread.
    """
    case = Case(folder)
    _ = (case.registered_files, case.plan, case.opened, case.warnings)
    if not case.analyses:
        hint = f"prereg analyze {folder.root}"
        what = "the run was not analyzed yet, and its spread is an outcome"
        raise UndecidedFault(Fault(code="not-analyzed", what=what, hint=hint))
    loaded = load(read_source(case.entry.folder / SPEC))
    wanted, endpoint = _wanted(loaded, case.plan.analysis, None)
    found = weigh(case.plan.analysis, case.evidence.everyone).endpoints[wanted.endpoint].differences
    if found is None or len(found) < 2:
        what = f"{wanted.endpoint} is unknown on some tasks of the pilot, or has one only, so its spread is unknown"
        raise UndecidedFault(Fault(code="no-spread", what=what, hint="size the run from assumptions: --assumptions"))
    sigma = deviation_interval(found, level=LEVEL)
    if not sigma.value:
        what = f"{wanted.endpoint} differs by the same on every task of the pilot, and a spread of 0 sizes nothing"
        raise UndecidedFault(Fault(code="no-spread", what=what, hint="size the run from assumptions: --assumptions"))
    treatment, control = _sides(endpoint)
    treated = at_every_level(case.plan.analysis, treatment)
    solves = _solves(case.plan.analysis, endpoint)
    lowers = not solves
    signed = -wanted.effect if lowers else wanted.effect
    basis = Basis(
        source=f"pilot {folder.name}",
        loaded=loaded,
        inputs=case.entry.inputs(),
        plan=case.plan.analysis,
        wanted=wanted,
        sigma=sigma,
        level=LEVEL,
        tasks=len(found),
        lowers=lowers,
        null=like_the_control(case.plan.analysis, case.evidence.frame, control),
        effect=partial(_with_effect, treated, endpoint.measure or "", signed, solves),
        words=(
            f"the pilot's {len(found)} tasks give the spread; it is an estimate, and so is every number of tasks here",
            f"in the simulation every arm is like {control} in the pilot, and {treatment} differs by the effect alone",
        ),
    )
    return _powered(basis, asked, report=report)


def from_assumptions(path: Path, asked: Asked, *, report: Callable[[int, int], None]) -> Powered:
    """Size a run from what its author assumes.

    Raises:
        SpecErrors: The spec or the assumptions are at fault.
    """
    experiment = experiment_of(spec_at(path))
    drawing = prepared(spec_at(path), experiment, asked.assumptions)
    assumed = drawing.read.assumed
    plan = design(drawing.loaded, drawing.sets, tasks=_DRAWN, inputs=drawing.inputs)
    draws = partial(_drawn, plan, seed=asked.seed)
    wanted, endpoint = _wanted(drawing.loaded, plan, lambda name: draws(assumed.profiles, name))
    profiles, word = _as_wanted(drawing.loaded, plan, assumed.profiles, wanted, endpoint)
    drawn = draws(profiles, endpoint.name)
    if len(set(drawn)) < 2:
        what = f"as assumed, {endpoint.name} is " + ("the same on every task" if drawn else "unknown on every task")
        hint = "assume what it measures, with a spread: cost: {median: 0.40 USD, spread: 0.35}"
        raise UndecidedFault(Fault(code="no-spread", what=f"{what}, and that sizes nothing", hint=hint))
    sigma = deviation_interval(drawn, level=LEVEL)
    own = design(drawing.loaded, drawing.sets) if _countable(drawing.loaded) else None
    basis = Basis(
        source=f"assumptions in {drawing.read.source}",
        loaded=drawing.loaded,
        inputs=drawing.inputs,
        plan=plan,
        wanted=wanted,
        sigma=Deviation(value=sigma.value, lo=None, hi=None, reason="the spread is assumed, not measured"),
        level=None,
        tasks=len(own.tasks) if own else 0,
        lowers=not _solves(plan, endpoint),
        null=profiles,
        effect=lambda unchanged: unchanged,
        words=(
            "the spread is what the assumptions give; nothing was measured, so no interval says how wrong they are",
            word,
        ),
    )
    return _powered(basis, asked, report=report)


def _as_wanted(
    loaded: Loaded, plan: AnalysisPlan, assumed: Profiles, wanted: Wanted, endpoint: EndpointPlan
) -> tuple[Profiles, str]:
    """Give the world to simulate, and what it is: with the effect that the formula is asked for, where one is registered."""
    if loaded.spec.sample_size.next is None:
        return assumed, "in the simulation the arms are what is assumed; the effect is what they differ by there"
    treatment, control = _sides(endpoint)
    solves, measure = _solves(plan, endpoint), endpoint.measure or ""
    signed = wanted.effect if solves else -wanted.effect
    found = {
        arm: apart(assumed[arm], assumed[other], measure, signed, solves=solves)
        for arm, other in zip(at_every_level(plan, treatment), at_every_level(plan, control), strict=True)
    }
    moved_to = {arm: each for arm, each in found.items() if each is not None}
    if len(moved_to) < len(found):
        return assumed, "in the simulation the arms are what is assumed, whatever effect the formula is asked for"
    word = f"in the simulation {treatment} differs from {control} in {measure} by that effect; all else is as assumed"
    return {**assumed, **moved_to}, word


def _powered(basis: Basis, asked: Asked, *, report: Callable[[int, int], None]) -> Powered:
    spreads: dict[Which, float | None] = {
        "estimate": basis.sigma.value,
        "lower": basis.sigma.lo,
        "upper": basis.sigma.hi,
    }
    known: dict[Which, float] = {which: value for which in WHICH if (value := spreads[which])}
    formulas = {which: formula(basis.wanted, sigma) for which, sigma in known.items()}
    points, note = _simulated(basis, known, formulas, asked, report=report)
    sized = []
    for which, sigma in known.items():
        n, reason = crossing(points.get(which, ()), basis.wanted.power, formulas[which]) if not note else (None, note)
        sized.append(
            Sized(
                which=which,
                sigma=sigma,
                formula=formulas[which],
                simulated=n,
                reason=reason,
                points=points.get(which, ()),
            )
        )
    endpoint = _endpoint(basis.plan, basis.wanted.endpoint)
    return Powered(
        source=basis.source,
        wanted=basis.wanted,
        sigma=basis.sigma,
        level=basis.level,
        sized=tuple(sized),
        detectable=detectable(basis.wanted, basis.sigma.value, basis.tasks, endpoint, lowers=basis.lowers),
        floor=floor(basis.wanted.alpha),
        words=basis.words,
        note=note,
    )


def _simulated(
    basis: Basis,
    known: Mapping[Which, float],
    formulas: Mapping[Which, int | None],
    asked: Asked,
    *,
    report: Callable[[int, int], None],
) -> tuple[dict[Which, tuple[Point, ...]], str]:
    """Simulate the registered rule at several sizes for every spread; without a world to simulate, say why."""
    if basis.null is None or basis.effect(basis.null) is None:
        return {}, f"the sampler does not draw what {basis.wanted.endpoint} measures, so the rule cannot be simulated"
    try:
        drawn = design(basis.loaded, tasks=_DRAWN, inputs=basis.inputs)
    except SpecErrors as fault:
        return {}, fault.diagnostics[0].summary
    worlds = {which: basis.effect(_like(basis, drawn, sigma, which, asked.seed)) for which, sigma in known.items()}
    least = floor(basis.wanted.alpha)
    asks = [(which, n) for which in known for n in sizes_to_try(which, formulas[which], least=least)]
    designs = [
        (design(basis.loaded, tasks=n, inputs=basis.inputs), profiles, _times(n, asked))
        for which, n in asks
        if (profiles := worlds[which]) is not None
    ]
    played = play_each(designs, asked, report=report)
    found: dict[Which, tuple[Point, ...]] = {}
    for (which, n), (plan, _, _), results in zip(asks, designs, played, strict=True):
        found[which] = (*found.get(which, ()), point(plan, n, results))
    return found, ""


def _times(n: int, asked: Asked) -> int:
    """Larger designs are played less often, so that a sizing ends within a minute or two; the points say how often."""
    return max(50, min(asked.experiments, asked.experiments * 60 // n))


def _like(basis: Basis, drawn: AnalysisPlan, sigma: float, which: Which, seed: int) -> Profiles:
    """Give the world without an effect whose spread is the pilot's, or an end of its interval."""
    assert basis.null is not None
    endpoint = _endpoint(basis.plan, basis.wanted.endpoint)
    if basis.level is None or endpoint.measure not in ("cost", "time"):
        return basis.null
    null = basis.null

    def spread(profiles: Profiles) -> float:
        values = [float(each) for each in _drawn(drawn, profiles, endpoint.name, seed=seed)]
        return stdev(values) if len(values) > 1 else 0.0

    def widened(factor: Decimal) -> Profiles:
        return {arm: spread_by(each, factor) for arm, each in null.items()}

    del which
    return widened(calibrated(widened, spread, sigma))


def _drawn(plan: AnalysisPlan, profiles: Profiles, endpoint: str, *, seed: int) -> tuple[Fraction, ...]:
    """Draw per-task differences; as doubles, since exact ones of hundreds of tasks have no small common unit."""
    return tuple(Fraction(float(each)) for each in differences(stage(plan), profiles, endpoint, seed=seed) or ())


def _with_effect(
    treated: Sequence[str], measure: str, effect: Decimal, solves: bool, profiles: Profiles
) -> Profiles | None:
    changed = {arm: moved(profiles[arm], measure, effect, solves=solves) for arm in treated}
    known = {arm: each for arm, each in changed.items() if each is not None}
    return {**profiles, **known} if len(known) == len(changed) else None


def _wanted(
    loaded: Loaded, plan: AnalysisPlan, draws: Callable[[str], tuple[Fraction, ...]] | None
) -> tuple[Wanted, EndpointPlan]:
    """Take what is wanted from the spec's formula for a next run; from assumptions alone, the assumed effect at usual rates."""
    following = loaded.spec.sample_size.next
    if following is not None:
        name = following.endpoint
        return (
            Wanted(endpoint=name, effect=following.effect.base, alpha=following.alpha, power=following.power),
            _endpoint(plan, name),
        )
    name = next(_comparisons(plan), "")
    if draws is None or not name:
        summary = "the spec registers no effect, alpha and power for a next run"
        hint = "sample_size: {next: {formula: wilcoxon-are, endpoint: ENDPOINT, effect: 15 %, alpha: 0.05, power: 0.8}}"
        span = loaded.spans.key("sample_size")
        raise SpecErrors([Diagnostic(code="P362", summary=summary, span=span, hint=hint)])
    values = draws(name)
    mean = abs(sum(values, Fraction(0))) / max(1, len(values))
    effect = Decimal(f"{float(mean):.4g}") + 0
    return Wanted(endpoint=name, effect=effect, alpha=Decimal("0.05"), power=Decimal("0.8")), _endpoint(plan, name)


def _comparisons(plan: AnalysisPlan) -> Iterator[str]:
    """List the comparisons whose estimate is a share, as an effect is."""
    for role in ("effect", "primary", "co-primary"):
        yield from (each.name for each in plan.endpoints if each.role == role and unit_of(each) in _SHARES)


def _endpoint(plan: AnalysisPlan, name: str) -> EndpointPlan:
    return next(each for each in plan.endpoints if each.name == name)


def _sides(endpoint: EndpointPlan) -> tuple[str, str]:
    first, second = reads(tree(endpoint.compare or ""))[:2]
    return first, second


def _solves(plan: AnalysisPlan, endpoint: EndpointPlan) -> bool:
    """Tell whether an endpoint measures solving: a yes or no of the oracle's verdict."""
    text = plan.measures.get(endpoint.measure or "", "")
    return "verdict" in reads(tree(text)) if text else False


def _countable(loaded: Loaded) -> bool:
    try:
        design(loaded)
    except SpecErrors:
        return False
    return True
