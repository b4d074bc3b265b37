"""A small experiment in memory: its spec, inputs and pool, all of it real, none of it on a disk."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from compiler.harvest_plan import harvest_digest, harvest_plan
from compiler.pipeline import Compiled, Knowledge, compile_spec
from compiler.pool import Pool, PoolHead
from compiler.pool_file import write
from compiler.task import Candidate, Material, Reason
from spec_lang.load import Loaded, load
from spec_lang.span import Source

FIXTURE = Path(__file__).parent / "fixture"
SPEC = (FIXTURE / "spec.yaml").read_text("utf-8")
POOL = "pool/candidates.jsonl"

SYMPTOMS = (
    "an empty line ends the whole document",
    "a quote inside a comment is taken for the start of a text",
    "the last line is lost when no line feed ends it",
    "numbers with a leading plus are refused",
    "deeply nested lists stop the program",
    "tabs are counted as one column",
    "an unknown escape is silently dropped",
    "two warnings for one fault",
    "a very long line takes minutes",
    "an error message names the wrong line",
    "an empty file is said to be broken",
    "upper-case words are not recognised",
)


def sha(text: str) -> str:
    """A digest that looks like one."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def candidate(number: int) -> Candidate:
    """A kept candidate; numbers from 1."""
    name = f"t{number:02d}"
    return Candidate(
        id=name,
        set="fixes",
        status="kept",
        facts={
            "subject": f"fix: {SYMPTOMS[(number - 1) % len(SYMPTOMS)]}",
            "committed": f"2026-07-{number:02d}T10:00:00+00:00",
            "hash": hashlib.sha1(name.encode()).hexdigest(),
            "changed": [
                {"path": f"parser/read_{number}.py", "status": "M"},
                {"path": f"tests/test_read_{number}.py", "status": "M"},
            ],
            "fail_to_pass": [f"tests/test_read_{number}.py::test_reads_{number}"],
        },
        gold_files=(f"parser/read_{number}.py",),
        gold_symbols=(f"read_number_{number}", "skip"),
        category="even" if number % 2 == 0 else "odd",
        material=Material(
            given=sha(f"given {name}"),
            held_out=sha(f"held out {name}"),
            tests=sha(f"tests {name}"),
            reference=sha(f"reference {name}"),
        ),
    )


def candidates(count: int = 12) -> tuple[Candidate, ...]:
    """``count`` kept candidates, one dropped by a condition, one by its gate, one for an unknown fact."""
    kept = [candidate(number) for number in range(1, count + 1)]
    no_source = replace(
        candidate(count + 1),
        status="dropped",
        reasons=(Reason(code="condition", what='count(changed("parser/**/*.py")) in 1..3'),),
        facts={**candidate(count + 1).facts, "changed": [{"path": "docs/manual.md", "status": "M"}]},
        material=None,
    )
    flaky = replace(
        candidate(count + 2), status="dropped", reasons=(Reason(code="flaky", what="stability"),), material=None
    )
    untold = {key: value for key, value in candidate(count + 3).facts.items() if key != "fail_to_pass"}
    unknown = replace(
        candidate(count + 3),
        status="dropped",
        reasons=(Reason(code="unknown-fact", what="count(fail_to_pass) >= 1"),),
        facts=untold,
        material=None,
    )
    return (*kept, no_source, flaky, unknown)


def loaded(text: str = SPEC) -> Loaded:
    """The spec, loaded."""
    return load(Source(name="spec.yaml", text=text))


def edited(*edits: tuple[str, str], text: str = SPEC) -> str:
    """The spec with some stretches replaced; each has to stand there exactly once."""
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    return text


def pool(spec: Loaded, found: tuple[Candidate, ...] | None = None) -> Pool:
    """The pool that a spec's harvest left."""
    return Pool(
        head=PoolHead(harvest=harvest_digest(harvest_plan(spec)), origin={"fixes": "parser@0123456"}),
        candidates=found if found is not None else candidates(),
    )


@cache
def prompts_text(count: int = 15) -> str:
    """A prompts file for all candidates."""
    lines = ["# One prompt a task, written before any run."]
    lines += [f"t{number:02d}: We see that {SYMPTOMS[(number - 1) % len(SYMPTOMS)]}." for number in range(1, count + 1)]
    return "\n".join(lines) + "\n"


def inputs(found: Pool | None = None, **changed: str) -> dict[str, bytes]:
    """The inputs of the spec; ``changed`` gives other texts by stem (``prompts``, ``exclusions``, ``notes``)."""
    texts: Mapping[str, str] = {
        "exclusions.yaml": (FIXTURE / "exclusions.yaml").read_text("utf-8"),
        "prompts.yaml": prompts_text(),
        "notes.md": (FIXTURE / "notes.md").read_text("utf-8"),
    }
    given = {name: changed.get(name.split(".")[0], text).encode() for name, text in texts.items()}
    return given if found is None else {**given, POOL: write(found)}


def compiled(
    text: str = SPEC,
    found: tuple[Candidate, ...] | None = None,
    *,
    knowledge: Knowledge | None = None,
    more: Mapping[str, bytes] | None = None,
    arrange: Callable[[Pool], Pool] = lambda pool: pool,
    **changed: str,
) -> Compiled:
    """Compile a spec over its pool."""
    spec = loaded(text)
    here = arrange(pool(spec, found))
    return compile_spec(spec, here, {**inputs(here, **changed), **(more or {})}, knowledge=knowledge)
