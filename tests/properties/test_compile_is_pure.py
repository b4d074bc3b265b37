"""Laws of compiling: the same meaning has the same bytes everywhere, and another meaning has another digest."""

import json
import os
import random
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.harvest_plan import harvest_digest, harvest_plan
from compiler.identity import spec_document
from compiler.pipeline import check_loaded
from ledger.canonical import digest
from spec_lang.diagnostics import SpecErrors
from spec_lang.span import Source
from spec_lang.yaml_tree import Plainest, plain, read_tree
from tests.compiler import world
from tests.needs import require

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "plan.json"
WHOLE = world.compiled()
TREE = plain(read_tree(Source(name="spec.yaml", text=world.SPEC)))


def test_the_plan_is_the_golden_one() -> None:
    """Set UPDATE_GOLDEN=1 to write it anew, and read the difference."""
    if os.environ.get("UPDATE_GOLDEN") == "1":
        GOLDEN.write_bytes(WHOLE.plan_bytes)
    assert GOLDEN.read_bytes() == WHOLE.plan_bytes


@pytest.mark.parametrize(
    "surroundings",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4711", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "random", "TZ": "", "LC_ALL": "C.UTF-8", "PYTHONOPTIMIZE": "1"},
    ],
    ids=["tokyo", "st-johns", "optimised"],
)
def test_another_process_gives_the_same_bytes(surroundings: dict[str, str], tmp_path: Path) -> None:
    assert elsewhere(sys.executable, surroundings, tmp_path) == f"{WHOLE.spec_digest} {WHOLE.plan_digest}"


@pytest.mark.slow
def test_another_interpreter_gives_the_same_bytes(tmp_path: Path) -> None:
    other = another_interpreter()
    require(None if other else "a second Python, 3.11 or newer, that can make virtual environments")
    assert other is not None
    assert elsewhere(str(furnished(other)), {}, tmp_path) == f"{WHOLE.spec_digest} {WHOLE.plan_digest}"


def another_interpreter() -> Path | None:
    """Find a Python of another installation than ours that can make virtual environments."""
    program = "import sys, venv, ensurepip; sys.version_info >= (3, 11) and print(sys.base_prefix)"
    for name in ("python3.14", "python3.13", "python3.12", "python3.11", "python3"):
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            place = Path(folder) / name
            if place.is_file():
                said = subprocess.run(
                    [place, "-c", program], capture_output=True, text=True, check=False
                ).stdout.strip()
                if said and Path(said).resolve() != Path(sys.base_prefix).resolve():
                    return place
    return None


def furnished(other: Path) -> Path:
    """Give the interpreter of an environment with the pinned packages, made once and kept outside the clone."""
    pinned = ROOT / "requirements" / "run.txt"
    named = digest(pinned.read_bytes() + str(other.resolve()).encode()).removeprefix("sha256:")[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prereg-interpreters" / named
    python = cache / "bin" / "python"
    if not (cache / "furnished").is_file():
        subprocess.run([other, "-m", "venv", "--clear", cache], check=True)
        pip = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "-r",
            pinned,
        ]
        subprocess.run(pip, check=True)
        (cache / "furnished").touch()
    return python


def elsewhere(interpreter: str, surroundings: dict[str, str], folder: Path) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [interpreter, "-m", "tests.compiler.make_plan"],
        env={**kept, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **surroundings},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


# --- what does not count ---


def flow(value: Plainest, chance: random.Random) -> str:
    """Write a tree in flow style, the keys of every map in a random order."""
    match value:
        case dict():
            keys = list(value)
            chance.shuffle(keys)
            return "{" + ", ".join(f"{json.dumps(key)}: {flow(value[key], chance)}" for key in keys) + "}"
        case list():
            return "[" + ", ".join(flow(each, chance) for each in value) + "]"
        case bool():
            return str(value).lower()
        case int() | Decimal():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_order_of_keys_and_the_style_do_not_count(chance: random.Random) -> None:
    done = world.compiled(flow(TREE, chance))
    assert (done.spec_bytes, done.plan_bytes) == (WHOLE.spec_bytes, WHOLE.plan_bytes)


@settings(max_examples=25)
@given(st.sets(st.integers(0, world.SPEC.count("\n")), max_size=6), st.text("abc #:-{[\"'", max_size=12))
def test_comments_and_empty_lines_do_not_count(places: set[int], words: str) -> None:
    lines = world.SPEC.split("\n")
    for place in sorted(places, reverse=True):
        lines[place:place] = [f"# {words}", ""]
    done = world.loaded("\n".join(lines))
    assert spec_document(done.spec, world.inputs(world.pool(done))) == WHOLE.spec_bytes


@settings(max_examples=10)
@given(st.permutations(world.candidates()))
def test_the_order_of_the_pool_does_not_count(found: list[object]) -> None:
    done = world.compiled(found=tuple(found))  # type: ignore[arg-type]  # a permutation of candidates
    assert (done.spec_bytes, done.plan_bytes) == (WHOLE.spec_bytes, WHOLE.plan_bytes)


def test_comments_in_inputs_do_not_count() -> None:
    again = world.compiled(prompts=f"# Another word on prompts.\n{world.prompts_text()}")
    assert (again.spec_digest, again.plan_digest) == (WHOLE.spec_digest, WHOLE.plan_digest)


# --- what counts ---

Place = tuple[str | int, ...]


def leaves(value: Plainest, path: Place = ()) -> list[tuple[Place, Plainest]]:
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in leaves(each, (*path, key))]
    if isinstance(value, list):
        return [leaf for place, each in enumerate(value) for leaf in leaves(each, (*path, place))]
    return [(path, value)]


def put(value: Plainest, path: Place, leaf: Plainest) -> Plainest:
    if not path:
        return leaf
    first, *rest = path
    if isinstance(value, dict):
        assert isinstance(first, str)
        return {**value, first: put(value[first], tuple(rest), leaf)}
    assert isinstance(value, list)
    assert isinstance(first, int)
    return [put(each, tuple(rest), leaf) if place == first else each for place, each in enumerate(value)]


@st.composite
def changes(draw: st.DrawFn) -> tuple[Place, Plainest]:
    """One leaf of the spec, and another value for it that differs by one character or one step."""
    path, value = draw(st.sampled_from(leaves(TREE)))
    if isinstance(value, bool):
        return path, not value
    if isinstance(value, int):
        return path, value + draw(st.sampled_from([-1, 1, 10]))
    if isinstance(value, Decimal):
        return path, value + Decimal("0.01")
    text = str(value)
    place = draw(st.integers(0, len(text)))
    kept = draw(st.booleans())
    return path, text[:place] + draw(st.sampled_from("abz019_.<>=x")) + text[place + kept :]


@settings(max_examples=60)
@given(changes())
def test_any_change_of_meaning_changes_the_digest_or_is_refused(change: tuple[Place, Plainest]) -> None:
    path, leaf = change
    if same(dict(leaves(TREE))[path], leaf):
        return
    try:
        changed = world.loaded(flow(put(TREE, path, leaf), random.Random(0)))
    except SpecErrors:
        return
    check_loaded(changed)  # it may find anything, and never fails
    assert spec_document(changed.spec, world.inputs(world.pool(world.loaded()))) != WHOLE.spec_bytes


def same(one: Plainest, other: Plainest) -> bool:
    """Tell two spellings of one value (``x<1.50`` and ``x < 1.5``) from two values."""
    first, second = (
        re.sub(r"(\.\d*?)0+\b", r"\1", str(each).replace(" ", "")).replace(".<", "<") for each in (one, other)
    )
    return first.rstrip(".") == second.rstrip(".") or first == re.sub(r"\.(?=[a-zA-Z%])", "", second)


@pytest.mark.parametrize("name", ["prompts.yaml", "exclusions.yaml", "notes.md", world.POOL])
def test_one_character_of_an_input_changes_the_spec_digest(name: str) -> None:
    spec = world.loaded()
    given_ = world.inputs(world.pool(spec))
    swapped = {"prompts.yaml": (b"empty", b"emptx"), "exclusions.yaml": (b"manual", b"manuam")}
    old, new = swapped.get(name, (b"0", b"1") if name == world.POOL else (b"N", b"M"))
    other = {**given_, name: given_[name].replace(old, new, 1)}
    assert digest(spec_document(spec.spec, other)) != WHOLE.spec_digest


@pytest.mark.parametrize(
    ("edit", "harvests_again"),
    [
        (("statistic: median", "statistic: mean"), False),
        (("take: 8", "take: 7"), False),
        (("seeds: 3", "seeds: 1"), False),
        (("alternative: less", "alternative: greater"), False),
        (("  docs: checks", "  docs: tests"), False),
        (("[fixed.ok, kept.ok]", "[fixed.ok]"), False),
        (('"2026-07-01"', '"2026-07-02"'), True),
        (("in 1..3", "in 1..4"), True),
        (("merges: skip", "merges: first-parent"), True),
        (("../parser", "../lexer"), True),
        (("    where:", "    stability: {harvests: 3}\n    where:"), True),
        (("    where:", "    environment: {kind: host}\n    where:"), True),
    ],
)
def test_a_pool_is_bound_to_what_its_harvest_depends_on(edit: tuple[str, str], harvests_again: bool) -> None:
    before, after = (harvest_digest(harvest_plan(world.loaded(text))) for text in (world.SPEC, world.edited(edit)))
    assert (before != after) is harvests_again


def test_adding_a_candidate_changes_no_plan_unless_it_is_drawn() -> None:
    spec = world.edited(("shuffle: {kind: python-random-v1, seed: 20261014}, ", ""), ("sort: commit-hash", "sort: id"))
    few, more = (world.compiled(spec, world.candidates(count)) for count in (12, 20))
    assert few.plan.run == more.plan.run
