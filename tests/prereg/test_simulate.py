"""``prereg simulate`` and ``prereg power``: the same bytes anywhere, shapes of --json, exit codes, and what a spec may claim."""

import json
import re
from pathlib import Path

import pytest

from compiler.operating import decode
from compiler.worlds import GENERATED
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from prereg import simulating
from prereg.cli import main
from tests.prereg.conftest import Call
from tests.prereg.laying import SPEC, lay_experiment, run_by_hand

FEW = ("--experiments", "24", "--resamples", "100", "--workers", "1")
PILOTED = "sample_size: {rationale: pilot}"
NAMED = "sample_size: {rationale: power, statement: simulated, simulation: simulation.json}"
ASSUMPTIONS = """\
assumptions: 1
arms:
  baseline: {solve: 80 %, cost: {median: 0.42 USD, spread: 0.35}}
  guide: {solve: 82 %, cost: {median: 0.30 USD, spread: 0.35}}
scenarios:
  dearer: {claim: false, says: the guide costs more, arms: {guide: {cost: {median: 0.50 USD}}}}
grid: [50 %]
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec without a pool: nothing was harvested yet."""
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "spec.yaml").write_text(SPEC)
    return folder / "spec.yaml"


def test_before_a_harvest_from_the_simulated_agents_profiles(spec: Path, call: Call) -> None:
    said = call("simulate", spec, *FEW, "--json")
    assert said.code == 0, said.err
    document = said.json
    assert {"design", "seed", "experiments", "power", "false_positives", "worst", "scenarios", "path", "digest"} <= set(
        document
    )
    assert document["type"] == "prereg.simulation/v1"
    assert (document["tasks"], document["trials"], document["experiments"]) == (8, 16, 24)
    assert [each["name"] for each in document["scenarios"][:4]] == [
        "as_assumed",
        "no_difference",
        "cheaper_solves_fewer",
        "fewer_failures_only",
    ]
    for each in document["scenarios"]:
        assert set(each["supported"]) == {"count", "of", "rate", "error"}
        assert isinstance(each["supported"]["rate"], float)
        assert each["spend"]["known_usd"] > 0
        assert {one["endpoint"] for one in each["coverage"]} == {"solved"}
    written = Path(document["path"]).read_bytes()
    assert document["digest"] == digest(written)
    stored = decode(written)
    assert stored.design == document["design"]
    assert isinstance(json.loads(written)["power"]["rate"], str), "decimals are strings in the file"


def test_text_names_the_two_rates_and_says_simulated(spec: Path, call: Call) -> None:
    said = call("simulate", spec, *FEW)
    assert said.code == 0
    assert "power 0." in said.out or "power 1." in said.out
    assert "false positives" in said.out
    assert "SIMULATED" in said.out
    curve = (spec.parent / "simulation.svg").read_text()
    assert curve.startswith("<svg ")
    assert "SIMULATED: claim supported</text>" in curve, "seen, not only told"
    assert curve.count(" of the difference: ") == 6


def test_the_same_bytes_whatever_the_workers_and_the_folder(spec: Path, tmp_path: Path, call: Call) -> None:
    asked = ("--experiments", "60", "--resamples", "100")
    first = call("simulate", spec, *asked, "--workers", "1", "--json")
    assert first.code == 0, first.err
    other = tmp_path / "elsewhere" / "spec.yaml"
    other.parent.mkdir()
    other.write_text("# another machine\n" + SPEC)
    again = call("simulate", other, *asked, "--workers", "2", "--json")
    assert again.code == 0, again.err
    assert again.json["digest"] == first.json["digest"]
    assert (other.parent / "simulation.json").read_bytes() == (spec.parent / "simulation.json").read_bytes()
    another = call("simulate", spec, *asked, "--seed", "2", "--workers", "1", "--json")
    assert another.json["digest"] != first.json["digest"]


def test_fewer_experiments_are_the_first_of_more(spec: Path, call: Call) -> None:
    """Nothing that is drawn depends on how often it is drawn, so a longer simulation continues a shorter one."""
    drawing = simulating.prepared(spec, simulating.experiment_of(spec), None)
    plan = simulating.design(drawing.loaded)
    profiles = drawing.read.assumed.profiles
    few, many = (
        simulating.play_all(plan, [(profiles, times)], simulating.Asked(workers=1, resamples=100))[0]
        for times in (10, 30)
    )
    assert many[:10] == few


def test_a_file_of_assumptions_is_found_beside_the_spec(spec: Path, call: Call) -> None:
    (spec.parent / "assumptions.yaml").write_text(ASSUMPTIONS)
    said = call("simulate", spec, *FEW, "--json")
    assert said.code == 0, said.err
    names = {each["name"]: each for each in said.json["scenarios"]}
    assert names["dearer"]["claim"] is False
    assert [name for name in names if name.startswith("effect")] == ["effect_50"]
    assert said.json["assumptions"]["arms"]["guide"]["solve"] == "0.82"
    elsewhere = spec.parent / "others.yaml"
    elsewhere.write_text(ASSUMPTIONS.replace("82 %", "70 %"))
    said = call("simulate", spec, "--assumptions", elsewhere, *FEW, "--json")
    assert said.json["assumptions"]["arms"]["guide"]["solve"] == "0.7"


def test_a_single_task_gives_no_interval_and_the_table_says_so(spec: Path, call: Call) -> None:
    text = spec.read_text().replace(
        "interval: {kind: newcombe-paired, level: 0.95}", "interval: {kind: clustered-t, level: 0.95}"
    )
    spec.write_text(text)
    said = call("simulate", spec, *FEW, "--tasks", "1")
    assert said.code == 0, said.err
    row = next(line for line in said.out.splitlines() if line.startswith("solved"))
    assert row.split()[-3:] == ["none", "none", "24"]


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        ("solve: 82 %", "solve: 820 %", "P217", "a share is at most 100 %"),
        ("  guide: {solve", "  giude: {solve", "P367", "nearest: `guide`"),
        ("median: 0.30 USD", "median: 0.30 s", "P210", "money is needed here"),
        ("assumptions: 1", "assumption: 1", "P201", "nearest: `assumptions`"),
        ("spread: 0.35", "spread: 40", "P217", "a spread of 40 for `cost`"),
        ("dearer: {", "as_assumed: {", "P367", "the world in which the claim is true"),
    ],
)
def test_bad_assumptions_are_faults_of_the_author(
    spec: Path, call: Call, old: str, new: str, code: str, says: str
) -> None:
    (spec.parent / "assumptions.yaml").write_text(ASSUMPTIONS.replace(old, new, 1))
    said = call("simulate", spec, *FEW)
    assert said.code == 1
    assert code in said.err
    assert says in said.err
    assert "^" in said.err
    assert code in call("simulate", spec, *FEW, "--json").codes
    assert not (spec.parent / "simulation.json").exists()


@pytest.mark.parametrize("verb", [("check",), ("simulate", *FEW)])
def test_impossible_rates_of_a_simulated_agent(spec: Path, call: Call, verb: tuple[str, ...]) -> None:
    spec.write_text(SPEC.replace("solve: 86 %", "solve: 186 %"))
    said = call(verb[0], spec, *verb[1:])
    assert said.code == 1
    assert said.err.count("P217") == 1
    assert "^" in said.err


def test_a_claim_that_is_true_everywhere_has_no_false_positives(spec: Path, call: Call) -> None:
    worlds = ", ".join(f"{name}: {{claim: true}}" for name in GENERATED[1:])
    (spec.parent / "assumptions.yaml").write_text(
        re.sub(r"scenarios:\n.*\n", f"scenarios: {{{worlds}}}\n", ASSUMPTIONS)
    )
    said = call("simulate", spec, *FEW, "--json")
    assert said.code == 0, said.err
    assert said.json["false_positives"] == {"count": 0, "of": 0, "rate": None, "error": None}
    assert call("simulate", spec, *FEW).code == 0


def test_a_spec_that_no_simulated_agent_speaks_for(spec: Path, call: Call) -> None:
    text = re.sub(r"agent:\n  kind: simulated.*?(?=^arms:)", _REAL, SPEC, flags=re.DOTALL | re.MULTILINE)
    spec.write_text(text)
    said = call("simulate", spec, *FEW)
    assert said.code == 1
    assert "P368" in said.err
    assert "assumptions.yaml" in said.err
    (spec.parent / "assumptions.yaml").write_text(ASSUMPTIONS)
    said = call("simulate", spec, *FEW, "--json")
    assert said.code == 0, said.err


_REAL = """\
agent:
  kind: command
  version: "1"
  model: some-model
  limits: {time: 20 min, cost: 2 USD}
  run: [agent, "{prompt}"]

"""


def test_tasks_that_only_a_pool_can_count(spec: Path, call: Call) -> None:
    spec.write_text(SPEC.replace("take: 8", "take: all"))
    said = call("simulate", spec, *FEW)
    assert said.code == 1
    assert "P369" in said.err
    assert "harvest" in said.err
    said = call("simulate", spec, *FEW, "--tasks", "12", "--json")
    assert (said.code, said.json["tasks"]) == (0, 12)
    assert [each.name for each in sorted(spec.parent.glob("*.json"))] == ["simulation-12.json"], "no spec names it"
    root = lay_experiment(spec.parent.parent / "harvested", SPEC.replace("take: 8", "take: all"))
    said = call("simulate", root, *FEW, "--json")
    assert said.code == 0, said.err
    assert said.json["tasks"] == 9
    (root / "spec.yaml").write_text(SPEC.replace("take: 8", "take: all").replace(PILOTED, NAMED))
    (root / "simulation.json").unlink()
    again = call("simulate", root, *FEW, "--json")
    assert (again.code, again.json["digest"]) == (0, said.json["digest"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--experiments", "0"),
        ("--seed", "-1"),
        ("--assumptions", "not-there.yaml"),
        ("--out", "curve.svg"),
        ("--out", "spec.yaml"),
    ],
)
def test_usage(spec: Path, call: Call, arguments: tuple[str, ...]) -> None:
    assert call("simulate", spec, *arguments, "--json").code == 2


def test_a_claim_of_existence_is_tried_where_nobody_can(spec: Path, call: Call) -> None:
    text = SPEC.replace("    - cost.p < 0.05", "    - any.count(guide) >= 1 task or any.count(baseline) >= 1 task")
    text = text.replace(
        "endpoints:\n", "endpoints:\n  any: {role: primary, measure: solved, per_task: only, show: each-task}\n"
    )
    spec.write_text(text.replace("    role: primary\n    measure: cost", "    role: secondary\n    measure: cost"))
    said = call("simulate", spec, *FEW, "--json")
    assert said.code == 0, said.err
    found = {each["name"]: each for each in said.json["scenarios"]}
    assert [name for name, each in found.items() if not each["claim"]] == ["nobody_solves"]
    assert found["nobody_solves"]["supported"]["count"] == 0
    assert found["as_assumed"]["supported"]["count"] == 24


def test_the_world_that_falls_behind_lies_on_the_registered_margin(spec: Path, call: Call) -> None:
    """Its truth, pooled from all simulated tasks, is the margin within its error."""
    spec.write_text(SPEC.replace("    - cost.p < 0.05", "    - cost.p < 0.05\n    - solved.lower >= -40 pp"))
    said = call("simulate", spec, "--experiments", "150", "--resamples", "100", "--workers", "1", "--json")
    assert said.code == 0, said.err
    world = next(each for each in said.json["scenarios"] if each["name"] == "cheaper_solves_fewer")
    assert "registered margin of 40 pp" in world["says"]
    (solved,) = [each for each in world["coverage"] if each["endpoint"] == "solved"]
    assert abs(solved["truth"] + 0.4) < 4 * solved["truth_error"]


# --- a registration that carries its simulation ---


def test_a_report_shows_the_registered_simulation(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "small")
    assert call("simulate", root, *FEW).code == 0
    (root / "spec.yaml").write_text(SPEC.replace(PILOTED, NAMED))
    assert call("compile", root).code == 0
    run = run_by_hand(root)
    assert call("analyze", run).code == 0
    found = decode((root / "simulation.json").read_bytes())
    for name in ("report.md", "report.html"):
        page = (run / name).read_text()
        assert "SIMULATED before the run, from assumptions: 8 tasks, 16 trials" in page
        assert f"{found.power.rate:.3f} ± {found.power.error:.3f}" in page
        assert all(each.name in page for each in found.scenarios)
    assert "SIMULATED" in (run / "figures" / "figure-power.svg").read_text()
    assert call("audit", run).code == 0


def test_a_registration_carries_the_simulation(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "small")
    assert call("simulate", root, *FEW).code == 0
    (root / "spec.yaml").write_text(SPEC.replace(PILOTED, NAMED))
    said = call("compile", root, "--json")
    assert said.code == 0, said.out
    folder = root / "registry" / said.json["registration"]
    registered = json.loads((folder / "registration.json").read_bytes())
    stored = digest((root / "simulation.json").read_bytes())
    assert registered["inputs"]["simulation.json"] == stored
    assert (folder / "inputs" / stored.removeprefix("sha256:")).read_bytes() == (root / "simulation.json").read_bytes()


def test_a_simulation_of_another_spec_is_refused(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "small")
    assert call("simulate", root, *FEW).code == 0
    changed = SPEC.replace(PILOTED, NAMED).replace("cost.p < 0.05", "cost.p < 0.01")
    (root / "spec.yaml").write_text(changed)
    said = call("compile", root)
    assert said.code == 1
    assert "P377" in said.err
    assert call("compile", root, "--json").codes == ["P377"]


def test_an_edited_or_absent_simulation_is_refused(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "small")
    (root / "spec.yaml").write_text(SPEC.replace(PILOTED, NAMED))
    said = call("compile", root, "--json")
    assert (said.code, said.codes) == (1, ["P931"])
    assert call("simulate", root, *FEW).code == 0, "a spec may name the simulation that is still to be made"
    data = (root / "simulation.json").read_bytes()
    (root / "simulation.json").write_bytes(data.replace(b'"seed":1', b'"seed": 1'))
    said = call("compile", root, "--json")
    assert (said.code, said.codes) == (1, ["P379"])


# --- power ---

NEXT = "sample_size: {rationale: pilot, next: {formula: wilcoxon-are, endpoint: relative, effect: 20 %, alpha: 0.05, power: 0.8}}"
RELATIVE = """\
  relative:
    role: effect
    measure: cost
    per_task: mean
    compare: guide / baseline - 1
    statistic: median
    interval: {kind: bootstrap-percentile, level: 0.95, resamples: 200, seed: 1, quantile: inverted-cdf}
  solved:
"""
PILOT = SPEC.replace(PILOTED, NEXT).replace("  solved:\n    role", f"{RELATIVE}    role", 1)
ONE = ("--experiments", "50", "--workers", "1")


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    """A closed pilot, not analyzed."""
    root = lay_experiment(tmp_path / "pilot", PILOT)
    assert main(["compile", str(root), "--json"]) == 0
    run_by_hand(root)
    return root / "runs" / "one"


def test_power_from_a_pilot_carries_the_interval_of_its_spread(pilot: Path, call: Call) -> None:
    said = call("power", pilot, *ONE, "--json")
    assert (said.code, said.codes) == (5, ["not-analyzed"])
    assert call("analyze", pilot, "--json").code == 0
    before = (pilot / "ledger.jsonl").read_bytes()
    said = call("power", pilot, *ONE, "--json")
    assert said.code == 0, said.err or said.out
    document = said.json
    assert document["wanted"] == {"endpoint": "relative", "effect": 0.2, "alpha": 0.05, "power": 0.8}
    assert [each["which"] for each in document["sized"]] == ["estimate", "lower", "upper"]
    estimate, lower, upper = document["sized"]
    assert lower["sigma"] < estimate["sigma"] < upper["sigma"]
    assert lower["formula"] <= estimate["formula"] <= upper["formula"]
    for each in document["sized"]:
        assert each["points"]
        assert all(point["supported"]["of"] >= 50 for point in each["points"])
        assert (each["simulated"] is None) <= bool(each["reason"])
    assert document["level"] == 0.95
    assert document["floor"] == 5
    assert document["detectable"]["capped"] <= 1
    assert (pilot / "ledger.jsonl").read_bytes() == before, "sizing writes nothing"
    text = call("power", pilot, *ONE)
    assert text.code == 0
    assert "tasks by formula" in text.out
    assert "estimate" in text.out


def test_a_pilot_without_spread_sizes_nothing(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "flat", PILOT.replace("measure: cost", "measure: turns"))
    assert call("compile", root, "--json").code == 0
    run_by_hand(root)
    assert call("analyze", root / "runs" / "one", "--json").code == 0
    said = call("power", root / "runs" / "one", *ONE, "--json")
    assert (said.code, said.codes) == (5, ["no-spread"])


def test_power_needs_what_is_wanted(analyzed: Path, call: Call) -> None:
    said = call("power", analyzed, *ONE, "--json")
    assert (said.code, said.codes) == (1, ["P362"])


def test_power_from_assumptions(spec: Path, call: Call) -> None:
    spec.write_text(PILOT)
    file = spec.parent / "guess.yaml"
    file.write_text(ASSUMPTIONS)
    said = call("power", "--assumptions", file, "--spec", spec, *ONE, "--json")
    assert said.code == 0, said.err
    assert said.json["level"] is None
    assert "assumed, not measured" in said.json["sigma"]["reason"]
    assert [each["which"] for each in said.json["sized"]] == ["estimate"]
    assert "differs from baseline in cost by that effect" in said.json["words"][1], "20 %, and not what is assumed"
    few = next(each for each in said.json["sized"][0]["points"])
    file.write_text(ASSUMPTIONS.replace("0.30 USD", "0.05 USD"))
    again = call("power", "--assumptions", file, "--spec", spec, *ONE, "--json")
    assert again.json["sized"][0]["points"][0] == few, "both columns are of the effect that is registered"
    file.write_text(ASSUMPTIONS.replace("80 %", "180 %"))
    assert call("power", "--assumptions", file, "--spec", spec, *ONE, "--json").codes == ["P217"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (", spread: 0.35", "", "relative is the same on every task"),
        (", cost: {median: 0.42 USD, spread: 0.35}", "", "relative is unknown on every task"),
    ],
)
def test_assumptions_without_a_spread_size_nothing(spec: Path, call: Call, old: str, new: str, says: str) -> None:
    spec.write_text(PILOT)
    file = spec.parent / "guess.yaml"
    file.write_text(ASSUMPTIONS.replace(old, new))
    said = call("power", "--assumptions", file, "--spec", spec, *ONE)
    assert said.code == 5
    assert says in said.err


def test_no_effect_in_dollars_is_told_in_per_cent(spec: Path, call: Call) -> None:
    file = spec.parent / "guess.yaml"
    file.write_text(ASSUMPTIONS)
    assert call("power", "--assumptions", file, "--spec", spec, *ONE, "--json").codes == ["P362"]


def test_power_takes_one_source(pilot: Path, spec: Path, call: Call) -> None:
    assert call("power", "--json").code == 2
    assert call("power", pilot, "--spec", spec, "--json").code == 2


def test_the_page_says_what_can_be_said(spec: Path, call: Call) -> None:
    page = (Path(__file__).parents[2] / "docs" / "simulating.md").read_text(encoding="utf-8")
    block = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert block is not None
    (spec.parent / "assumptions.yaml").write_text(block[1].replace("context:", "guide:"))
    said = call("simulate", spec, *FEW, "--json")
    assert said.code == 0, said.err
    worlds = {each["name"] for each in said.json["scenarios"]}
    assert set(re.findall(r"^\| `([a-z_0-9]+)`", page, re.MULTILINE)) <= worlds


def test_golden_worlds(spec: Path, call: Call) -> None:
    """What is drawn and counted, byte by byte: another machine gives the same, and a change of it is seen here."""
    assert call("simulate", spec, *FEW, "--json").code == 0
    stored = decode((spec.parent / "simulation.json").read_bytes())
    worlds = canonical([to_plain(each) for each in stored.scenarios])
    assert digest(worlds) == "sha256:a6ef9817fc0e335b16284cd5d1940ae23c9ee92387e32e9b07f9efd082523b62"
