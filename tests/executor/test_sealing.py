"""What a pool tells of a private candidate is a place, a day and codes; everything else is in its record."""

from pathlib import Path

from compiler.task import Candidate, Material, Reason
from executor.sealing import gold_files, seal
from ledger.canonical import canonical, parse
from ledger.codec import to_plain
from ledger.sealed import SealedBlobs

HIDDEN = Candidate(
    id="p1",
    set="hidden",
    status="dropped",
    facts={"order": 3, "issue.closed": "2026-08-01T10:11:12Z", "issue.title": "Secret", "changed": ["secret.py"]},
    reasons=(Reason(code="p2f", what="the fix breaks tests that passed", detail="secret::test"),),
    evidence={"files": ["secret"]},
    gold_files=("secret.py",),
    gold_symbols=("secret",),
    gold_lines=("secret = 1",),
    category="secret",
    material=Material(given="sha256:" + "0" * 64, held_out="sha256:" + "1" * 64),
)
CONDITIONS = (
    Reason(code="unknown-fact", what="count(tests) >= 1", detail="not known: secret"),
    Reason(code="condition", what="issue.number >= 7"),
)


def test_the_pool_is_told_no_more_than_it_needs(tmp_path: Path) -> None:
    sealed = seal(HIDDEN, CONDITIONS, SealedBlobs(tmp_path, b"k" * 32))
    assert sealed.facts == {"order": 3, "issue.closed": "2026-08-01"}
    assert [(each.code, each.what, each.detail) for each in sealed.reasons] == [
        ("p2f", "the fix breaks tests that passed", ""),
        ("unknown-fact", "count(tests) >= 1", ""),
        ("condition", "issue.number >= 7", ""),
    ]
    assert sealed.material == HIDDEN.material
    assert b"ecret" not in canonical(to_plain(sealed))


def test_the_record_holds_everything(tmp_path: Path) -> None:
    blobs = SealedBlobs(tmp_path, b"k" * 32)
    sealed = seal(HIDDEN, CONDITIONS, blobs)
    assert sealed.private is not None
    record = parse(blobs.get(sealed.private), where="record")
    assert isinstance(record, dict)
    assert record["facts"] == HIDDEN.facts
    assert record["evidence"] == HIDDEN.evidence
    assert record["reasons"][0]["detail"] == "secret::test"  # type: ignore[index,call-overload]
    assert gold_files(record) == ("secret.py",)
    assert gold_files({}) == ()


def test_a_kept_candidate_takes_no_reason_along(tmp_path: Path) -> None:
    kept = Candidate(id="p1", set="hidden", status="kept", facts={})
    assert seal(kept, CONDITIONS, SealedBlobs(tmp_path, b"k" * 32)).reasons == ()
