"""Documents are functions of their content alone: no hash seed, key order, time zone, locale or folder shows in them."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compiler.identity import spec_document
from compiler.registration import Registration
from ledger.canonical import canonical
from ledger.codec import to_plain
from tests.compiler.nouns import INPUTS, spec
from tests.ledger.strategies import PLAIN

ROOT = Path(__file__).parents[2]

PROGRAM = """
import hashlib, sys
from compiler.draw import draw, order_trials
from compiler.pool import Pool
from compiler.pool_file import write
from compiler.simulation import sample
from compiler.task import Candidate
from ledger.canonical import canonical
from ledger.codec import to_plain
from spec_lang.model import Choice, Draw
from tests.compiler.nouns import candidate, compiled
from tests.compiler.test_pool_file import HEAD
from tests.compiler.test_simulation import PROFILE
from tests.ledger.test_chain import FIVE, chain

names = {f"t{number}" for number in range(40)}  # a set: its order is that of this process's hash seed
candidates = tuple(candidate(name, hash=hashlib.sha256(name.encode()).hexdigest()) for name in names)
parts = [compiled().spec_bytes, compiled().plan_bytes, write(Pool(head=HEAD, candidates=candidates)), *chain(FIVE)]
for kind in ("python-random-v1", "keyed-sha256-v1"):
    how = Draw(sort="commit-hash", shuffle=Choice(kind=kind, options={"seed": 5}), take=20)
    parts.append(repr(draw(candidates, how, {})).encode())
order = Choice(kind="interleave", options={"seed": 5})
parts.append(repr(order_trials(tuple(names), tuple({"b", "a"}), 3, order)).encode())
parts.append(repr([sample(PROFILE, seed=1, trial_id=name, attempt=1) for name in sorted(names)]).encode())
print([hashlib.sha256(part).hexdigest() for part in parts])
"""


def _digests(folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_nothing_of_the_process_shows(tmp_path: Path) -> None:
    here = _digests(ROOT, PYTHONHASHSEED="0")
    there = _digests(tmp_path, PYTHONHASHSEED="4242", TZ="Pacific/Kiritimati", LC_ALL="C", HOME=str(tmp_path))
    assert here == there
    assert len(here) > 500


def _mixed(value: Any, chaos: random.Random) -> Any:
    """Put the keys of every map into another order."""
    if isinstance(value, dict):
        items = [(key, _mixed(each, chaos)) for key, each in value.items()]
        chaos.shuffle(items)
        return dict(items)
    return [_mixed(each, chaos) for each in value] if isinstance(value, list) else value


@given(PLAIN, st.randoms())
def test_the_order_of_keys_never_shows(value: Any, chaos: random.Random) -> None:
    assert canonical(_mixed(value, chaos)) == canonical(value)


@given(st.randoms())
def test_the_order_of_a_specs_maps_never_shows(chaos: random.Random) -> None:
    base = spec()
    mixed = replace(base, arms=_mixed(base.arms, chaos), endpoints=_mixed(base.endpoints, chaos))
    assert spec_document(mixed, _mixed(INPUTS, chaos)) == spec_document(base, INPUTS)


@given(st.dictionaries(st.text(max_size=3), st.text(max_size=3)), st.randoms())
def test_the_order_of_a_registrations_maps_never_shows(names: dict[str, str], chaos: random.Random) -> None:
    made = Registration(
        registration_id="0",
        spec={"digest": "a", "source_digest": "b"},
        plan={"digest": "a", "trials": 1},
        inputs=names,
        tool=names,
        foreknowledge=names,
        access="nothing-run",
        created_at_untrusted="2026-11-29T12:00:00Z",
    )
    mixed = replace(made, inputs=_mixed(names, chaos), tool=_mixed(names, chaos), foreknowledge=_mixed(names, chaos))
    assert canonical(to_plain(mixed)) == canonical(to_plain(made))
