"""Simulate a design: play its decision rule in many worlds on several processes, and write simulation.json."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from analyzer.characteristics import scenario
from analyzer.figures.power import power
from analyzer.figures.sheet import alone
from analyzer.rehearsal import Played, play, resized
from analyzer.simulated_ledger import stage
from compiler.assumptions import Read, from_agent, from_file
from compiler.checks.subject import Subject
from compiler.checks.suite import check_spec
from compiler.design import design, design_digest
from compiler.lower import SetTasks
from compiler.operating import Scenario, Simulation, encode, rate
from compiler.plan import AnalysisPlan
from compiler.sets import draw_sets
from compiler.simulation import Profile
from compiler.worlds import ASSUMED, World, worlds
from ledger.canonical import canonical, digest
from ledger.disk import write_whole
from prereg.current import read
from prereg.experiment import Experiment, experiment_of, spec_at
from prereg.locking import pool_of
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.load import Loaded, read_source

ASSUMPTIONS = "assumptions.yaml"
SIMULATION = "simulation.json"

EXPERIMENTS = 2000
RESAMPLES = 2000
"""The most that a bootstrap resamples in a simulation: the ends of one interval move by its seed's noise, their law hardly."""

_CHUNK = 25
"""Experiments that a worker plays before it reports; it changes nothing but how often progress is seen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is asked of a simulation. ``workers`` None: one a processor; their number changes no byte of the result."""

    experiments: int = EXPERIMENTS
    seed: int = 1
    resamples: int = RESAMPLES
    workers: int | None = None
    assumptions: Path | None = None
    out: Path | None = None
    tasks: int | None = None
    """Another number of tasks than the spec's, to see what it would do; None: the spec's own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulated:
    """A simulation and where it was written."""

    simulation: Simulation
    path: Path
    digest: str
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """A spec that is checked, its assumptions, and its drawn tasks where it needs a pool to know them."""

    loaded: Loaded
    read: Read
    sets: tuple[SetTasks, ...] | None
    warnings: tuple[Diagnostic, ...]
    inputs: Mapping[str, bytes] = field(default_factory=dict)


def simulate(path: Path, asked: Asked, *, report: Callable[[int, int], None] = lambda _done, _all: None) -> Simulated:
    """Work out the operating characteristics of a spec's decision rule, and write them beside it.

    ``report`` gets how many experiments are played, of how many.

    Raises:
        SpecErrors: The spec or its assumptions are at fault, or its tasks cannot be counted before a harvest.
    """
    experiment = experiment_of(spec_at(path))
    drawing = prepared(spec_at(path), experiment, asked.assumptions)
    plan = design(drawing.loaded, drawing.sets, tasks=asked.tasks, inputs=drawing.inputs)
    simulation = characteristics(plan, drawing, asked, report=report)
    data = encode(simulation)
    # What another number of tasks would do is not what the spec names.
    name = SIMULATION if asked.tasks is None else f"simulation-{asked.tasks}.json"
    out = asked.out or experiment.root / name
    write_whole(out, data)
    out.with_suffix(".svg").unlink(missing_ok=True)  # of another design, where this one has nothing to draw
    for figure in power(simulation):
        write_whole(out.with_suffix(".svg"), alone(figure.draw()).encode("utf-8"))
    return Simulated(simulation=simulation, path=out, digest=digest(data), warnings=drawing.warnings)


def prepared(spec: Path, experiment: Experiment, assumptions: Path | None) -> Drawing:
    """Read and check a spec with its assumptions; the pool is read only where nothing else tells the tasks.

    The simulation that a spec names need not be there yet.

    Raises:
        SpecErrors: As ``simulate``.
    """
    written = read(spec, experiment)
    loaded = written.loaded
    bag = Bag()
    bag.extend(check_spec(Subject(loaded=loaded)))
    bag.raise_errors()
    file = assumptions or experiment.root / ASSUMPTIONS
    own = assumptions is None and not file.is_file()
    found = from_agent(loaded) if own else from_file(loaded, read_source(file))
    sets = None
    if experiment.candidates.is_file() and _needs_pool(loaded):
        sets = draw_sets(loaded, pool_of(experiment), written.inputs)
    return Drawing(loaded=loaded, read=found, sets=sets, warnings=bag.warnings, inputs=written.inputs)


def _needs_pool(loaded: Loaded) -> bool:
    try:
        design(loaded)
    except SpecErrors:
        return True
    return False


def characteristics(
    plan: AnalysisPlan, drawing: Drawing, asked: Asked, *, report: Callable[[int, int], None]
) -> Simulation:
    """Play all worlds and count them."""
    all_worlds = worlds(drawing.read.assumed)
    played = play_all(plan, [(each.profiles, times(each, asked)) for each in all_worlds], asked, report=report)
    scenarios = tuple(scenario(plan, world, found) for world, found in zip(all_worlds, played, strict=True))
    nulls = [each for each in scenarios if not each.claim]
    worst = max(nulls, key=lambda each: (each.supported.count / each.supported.of, each.name), default=None)
    assumed = next(each for each in scenarios if each.name == ASSUMED)
    content = canonical(drawing.read.content)
    return Simulation(
        experiment=drawing.loaded.spec.id,
        design=design_digest(plan),
        seed=asked.seed,
        experiments=asked.experiments,
        resamples=asked.resamples,
        tasks=len(plan.tasks),
        trials=len(plan.tasks) * len(plan.arms) * plan.seeds,
        control=drawing.read.assumed.control,
        treatment=drawing.read.assumed.treatment,
        assumptions=drawing.read.content,
        assumptions_digest=digest(content),
        power=assumed.supported,
        false_positives=worst.supported if worst else rate(0, 0),
        worst=worst.name if worst else "",
        scenarios=scenarios,
        notes=tuple(_notes(scenarios)),
    )


def times(world: World, asked: Asked) -> int:
    """A point of the generated grid is played a quarter as often: a curve needs less than a rate that is claimed."""
    grid = world.kind == "effect" and world.share is not None
    return max(1, asked.experiments // 4) if grid else asked.experiments


def _notes(scenarios: Sequence[Scenario]) -> Iterator[str]:
    for name in sorted({name for each in scenarios for name in each.blank}):
        yield f"{name} is unknown in every experiment: the assumptions say nothing of what it measures, or lose every trial"
    for each in scenarios:
        if each.no_verdict.count == each.no_verdict.of:
            yield f"{each.name}: every experiment ends without a verdict"


def play_all(
    plan: AnalysisPlan,
    asked_of: Sequence[tuple[Mapping[str, Profile], int]],
    asked: Asked,
    *,
    report: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[list[Played]]:
    """Play every world so many times, experiment by experiment; the result does not depend on the number of workers."""
    rehearsed = resized(plan, asked.resamples)
    most = max(times for _, times in asked_of)
    jobs = [
        (rehearsed, tuple((profiles, min(times, chunk.stop)) for profiles, times in asked_of), asked.seed, chunk)
        for chunk in _chunks(most)
    ]
    total = sum(times for _, times in asked_of)
    found: list[list[Played]] = [[] for _ in asked_of]
    done = 0
    for part in _carried_out(jobs, asked.workers):
        for world, more in zip(found, part, strict=True):
            world += more
            done += len(more)
        report(done, total)
    return found


def play_each(
    designs: Sequence[tuple[AnalysisPlan, Mapping[str, Profile], int]],
    asked: Asked,
    *,
    report: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[list[Played]]:
    """Play several designs, each in one world so many times."""
    jobs: list[Job] = []
    owners: list[int] = []
    for place, (plan, profiles, times) in enumerate(designs):
        rehearsed = resized(plan, asked.resamples)
        for chunk in _chunks(times):
            jobs.append((rehearsed, ((profiles, times),), asked.seed, chunk))
            owners.append(place)
    total = sum(times for _, _, times in designs)
    found: list[list[Played]] = [[] for _ in designs]
    done = 0
    for place, part in zip(owners, _carried_out(jobs, asked.workers), strict=True):
        found[place] += part[0]
        done += len(part[0])
        report(done, total)
    return found


Job = tuple[AnalysisPlan, tuple[tuple[Mapping[str, Profile], int], ...], int, range]


def _chunks(times: int) -> list[range]:
    return [range(start, min(start + _CHUNK, times)) for start in range(0, times, _CHUNK)]


def _carried_out(jobs: Sequence[Job], workers: int | None) -> Iterator[list[list[Played]]]:
    """Give the results in the order of the jobs. One worker, or one job, needs no process of its own."""
    most = min(workers or os.cpu_count() or 1, len(jobs))
    if most == 1:
        yield from map(_job, jobs)
        return
    # Spawned, not forked: threads of the face (a progress bar) do not survive a fork. Ctrl-C is for us alone to hear.
    with ProcessPoolExecutor(max_workers=most, mp_context=get_context("spawn"), initializer=_deaf) as pool:
        yield from pool.map(_job, jobs)


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _job(job: Job) -> list[list[Played]]:
    plan, asked_of, seed, experiments = job
    ready = stage(plan)
    found: list[list[Played]] = [[] for _ in asked_of]
    for number in experiments:  # worlds inside: they share what is drawn
        for place, (profiles, upto) in enumerate(asked_of):
            if number < upto:
                found[place].append(play(ready, profiles, seed=seed, experiment=number))
    return found
