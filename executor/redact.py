"""Takes secrets out of bytes before anything is kept: the values that were let through, and tokens of well-known shapes."""

import re
from collections.abc import Iterable

_SHORTEST = 6
"""Values below this length would take ordinary words out; nothing that short is a credential."""
_SHAPES: tuple[tuple[str, str], ...] = (
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("api key", r"\bsk-(?:proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,}"),
    ("github token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})"),
    ("gitlab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("aws key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("google key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("slack token", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("package token", r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,})"),
    ("model hub token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("json web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("bearer", r"(?i:\bbearer[ \t]+)[A-Za-z0-9._~+/-]{20,}=*"),
)
_KNOWN = tuple((name, re.compile(shape.encode(), re.DOTALL)) for name, shape in _SHAPES)


def redact(data: bytes, secrets: Iterable[tuple[str, str]]) -> bytes:
    """Replace each secret (name, value), as it is and as JSON would write it, and each well-known token, by ``[redacted: NAME]``."""
    for name, value in sorted(secrets, key=lambda each: -len(each[1])):
        if len(value) >= _SHORTEST:
            for written in {value, _in_json(value)}:
                data = data.replace(written.encode("utf-8", "surrogateescape"), f"[redacted: {name}]".encode())
    for name, shape in _KNOWN:
        data = shape.sub(f"[redacted: {name}]".encode(), data)
    return data


def redact_text(text: str, secrets: Iterable[tuple[str, str]]) -> str:
    """Redact text."""
    return redact(text.encode("utf-8", "surrogateescape"), secrets).decode("utf-8", "replace")


def _in_json(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
