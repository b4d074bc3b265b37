"""Redaction: given values in every spelling, and tokens of known shapes; ordinary text stays as it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.redact import redact, redact_text

TOKENS = {
    "anthropic key": "sk-ant-api03-" + "Ab1_" * 8,
    "api key": "sk-proj-" + "Ab1_" * 8,
    "github token": "ghp_" + "a1B2" * 9,
    "gitlab token": "glpat-" + "a1B2" * 6,
    "aws key": "AKIA" + "A1B2" * 4,
    "google key": "AIza" + "a1B2c" * 7,
    "slack token": "xoxb-" + "1234567890-abc",
    "package token": "npm_" + "a1B2" * 9,
    "model hub token": "hf_" + "a1B2" * 9,
    "json web token": "eyJ" + "a1B2" * 4 + ".eyJ" + "a1B2" * 4 + "." + "a1B2" * 4,
    "bearer": "Bearer " + "a1B2" * 8,
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize("name", TOKENS)
def test_known_shapes_are_taken_out(name: str) -> None:
    token = TOKENS[name]
    kept = redact(f"before {token} after".encode(), ())
    assert kept == f"before [redacted: {name}] after".encode()


def test_an_unfinished_key_is_taken_out_to_its_end() -> None:
    assert redact(b"x -----BEGIN PRIVATE KEY-----\nMIIE", ()) == b"x [redacted: private key]"


@pytest.mark.parametrize(
    "text", ["sk-learn", "task-ant-hill", "AKIA", "a bearer of news", "ghp_short", "def skip(): pass"]
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text.encode(), ()) == text.encode()


@given(
    st.text(min_size=6, alphabet=st.characters(codec="utf-8", exclude_characters="[]")),
    st.text(max_size=20),
    st.text(max_size=20),
)
def test_a_given_value_never_survives(value: str, before: str, after: str) -> None:
    secrets = {"KEY": value}.items()
    for written in (before + value + after, json.dumps({"v": value}, ensure_ascii=False)):
        kept = redact(written.encode(), secrets)
        assert value.encode() not in kept.replace(b"[redacted: KEY]", b"")


def test_longer_values_go_first_and_short_ones_stay() -> None:
    secrets = {"SHORT": "abc", "INNER": "secret-1", "OUTER": "secret-1-more"}.items()
    assert redact_text("abc secret-1-more secret-1", secrets) == "abc [redacted: OUTER] [redacted: INNER]"
