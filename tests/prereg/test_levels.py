"""Two models crossed with two arms: from the spec to simulation, verdict, report and audit."""

from pathlib import Path

from compiler.assumptions import from_agent
from compiler.worlds import World, worlds
from spec_lang.load import load, read_source
from tests.prereg.conftest import Call
from tests.prereg.laying import SPEC, lay_experiment

PROFILE = "{solve: 85 %, cost: {median: 0.42 USD, spread: 0.35}, time: {median: 210 s}}"
RELATIVE = (
    "  relative: {role: effect, measure: cost, per_task: mean, compare: guide / baseline - 1, statistic: median,"
    " interval: {kind: bootstrap-percentile, level: 0.95, resamples: 200, seed: 7}}"
)
EDITS = (
    (
        "  profiles:\n    baseline: ",
        f"  profiles:\n    baseline_small: {PROFILE}\n    guide_small: {PROFILE}\n    baseline_large: ",
    ),
    ("    guide: {solve", "    guide_large: {solve"),
    (
        "single_difference: provider\n",
        "across: {model: {small: {}, large: {model: large-model}}}\nsingle_difference: provider\n",
    ),
    ("    - cost.p < 0.05\n", "    - cost.p < 0.05\n    - cost.large.p < 0.05\n    - solved.small.lower > -90 pp\n"),
    ("take: 8", "take: 9"),
    (
        "{rationale: pilot}",
        "{rationale: pilot, next: {formula: wilcoxon-are, endpoint: relative, effect: 15 %, alpha: 0.05, power: 0.8}}",
    ),
    ("\ndecision:\n", f"{RELATIVE}\n\ndecision:\n"),
)


def laid(root: Path) -> Path:
    text = SPEC
    for old, new in EDITS:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return lay_experiment(root / "crossed", text)


def test_from_the_spec_to_a_clean_audit(tmp_path: Path, call: Call) -> None:
    root = laid(tmp_path)
    said = call("compile", root, "--json")
    assert (said.code, said.json["trials"]) == (0, 9 * 2 * 2), said.out + said.err
    assert call("execute", root, "--dry-run").out.count("large-model") == 9 * 2
    assert call("execute", root, "--run", "one").code == 0
    run = root / "runs" / "one"
    said = call("analyze", run, "--json")
    assert said.code == 0, said.out + said.err
    assert set(said.json["endpoints"]) == {
        *("cost", "cost.large", "cost.small", "relative", "relative.large", "relative.small"),
        *("solved.large", "solved.small"),
    }
    assert said.json["arms"].keys() == {"baseline_large", "baseline_small", "guide_large", "guide_small"}
    report = (run / "report.md").read_text()
    for line in (
        "| task | baseline_large | baseline_small | guide_large | guide_small |",
        "over 2 levels together (large, small)",
        "Against baseline_large and baseline_small:",
    ):
        assert line in report
    assert "a run of baseline_large and one of baseline_small" not in report
    assert call("audit", run).code == 0


def test_a_world_is_so_at_every_level(tmp_path: Path, call: Call) -> None:
    root = laid(tmp_path)
    said = call("simulate", root, "--experiments", "40", "--resamples", "100", "--workers", "1", "--json")
    assert said.code == 0, said.out + said.err
    scenarios = {each["name"]: each for each in said.json["scenarios"]}
    assert said.json["trials"] == 36
    assert scenarios["no_difference"]["supported"]["count"] <= 4
    alike = {each.name: each.profiles for each in compiler_worlds(root)}["no_difference"]
    assert alike["guide_large"] == alike["baseline_large"] != alike["baseline_small"] == alike["guide_small"]


def compiler_worlds(root: Path) -> tuple[World, ...]:
    return worlds(from_agent(load(read_source(root / "spec.yaml"))).assumed)
