"""Hypothesis strategies for plain values and ledger records."""

from hypothesis import strategies as st

from ledger.records import (
    Analysis,
    Checkpoint,
    Claimed,
    Closed,
    Deviation,
    Infrastructure,
    InvalidEnvironment,
    Judgment,
    Opened,
    Outcome,
    Peek,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
LEAVES = st.none() | st.booleans() | INTEGERS | TEXT
PLAIN = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
PLAINS = st.dictionaries(TEXT, PLAIN, max_size=3)
TEXTS = st.dictionaries(TEXT, TEXT, max_size=3)
COUNT = st.integers(0, 1000)

ENDED = st.sampled_from(["finished", "timeout", "limit", "error", "cancelled", "no-result", "skipped"])

_CHECKS = st.dictionaries(TEXT, PLAINS, max_size=2)

HOT = st.one_of(
    st.builds(Claimed, trial=TEXT, attempt=COUNT, task=TEXT, arm=TEXT, seed=COUNT, machine=TEXT),
    st.builds(
        Outcome,
        trial=TEXT,
        attempt=COUNT,
        task=TEXT,
        arm=TEXT,
        seed=COUNT,
        verdict=st.sampled_from(["pass", "partial", "fail", "skipped"]),
        ended=ENDED,
        measures=PLAINS,
        reasons=TEXTS,
        checks=_CHECKS,
        versions=TEXTS,
        blobs=TEXTS,
        machine=TEXT,
        simulated=st.booleans(),
    ),
)
"""Claims and outcomes."""

RECORDS = st.one_of(
    st.builds(
        Opened,
        run=TEXT,
        registration=TEXT,
        registration_id=TEXT,
        plan_digest=TEXT,
        spec_digest=TEXT,
        tool=TEXTS,
        host=PLAINS,
        simulated=st.booleans(),
    ),
    HOT,
    st.builds(
        Infrastructure,
        trial=TEXT,
        attempt=COUNT,
        rule=TEXT,
        step=TEXT,
        detail=TEXT,
        ended=st.none() | ENDED,
        measures=PLAINS,
        reasons=TEXTS,
        versions=TEXTS,
        blobs=TEXTS,
    ),
    st.builds(InvalidEnvironment, trial=TEXT, attempt=COUNT, detail=TEXT, expected=PLAINS, got=PLAINS, measures=PLAINS),
    st.builds(
        Judgment,
        trial=TEXT,
        judgment=st.sampled_from(["success", "partial", "failure", "unjudged"]),
        who=TEXT,
        evidence=st.none() | TEXT,
    ),
    st.builds(Peek, what=TEXT, outcomes=COUNT),
    st.builds(Deviation, what=TEXT, reason=TEXT),
    st.builds(Checkpoint, outcomes=COUNT, attempts=COUNT, reason=TEXT),
    st.builds(Closed, outcomes=COUNT, attempts=COUNT, gaps=TEXTS),
    st.builds(Analysis, verdict=TEXT, status=TEXT, ledger_head=TEXT),
)
