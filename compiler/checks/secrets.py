"""No secret stands in a spec: it is published, hashed and copied into every registration."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from compiler.checks.subject import Subject, fault
from spec_lang.diagnostics import Diagnostic
from spec_lang.span import Position, Source, Span

CODES = {"P380": "something that looks like a secret"}

SHAPES: Mapping[str, str] = {
    "an Anthropic key": r"sk-ant-[A-Za-z0-9_-]{16,}",
    "an OpenAI key": r"sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}",
    "a GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
    "a GitLab token": r"glpat-[A-Za-z0-9_-]{16,}",
    "an AWS access key": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "a Google key": r"AIza[A-Za-z0-9_-]{30,}",
    "a Slack token": r"xox[abeprs]-[A-Za-z0-9-]{10,}",
    "a Hugging Face token": r"hf_[A-Za-z0-9]{20,}",
    "a package registry token": r"(?:pypi-[A-Za-z0-9_-]{40,}|npm_[A-Za-z0-9]{30,})",
    "a Stripe key": r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "a JSON web token": r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a password in an address": r"[a-z][a-z0-9+.-]*://[^\s/:@{}]+:[^\s/@{}]+@",
    "a bearer token": r"[Bb]earer\s+[A-Za-z0-9._~+/-]{20,}=*",
    "an assigned secret": (
        r"(?i:(?:api[_-]?key|secret|token|password|passwd|credential)[a-z_]*[\"']?\s*[:=]\s*[\"']?)"
        r"(?=[A-Za-z0-9+/_.~-]*[0-9])(?=[A-Za-z0-9+/_.~-]*[A-Za-z])[A-Za-z0-9+/_.~-]{16,}"
    ),
}
"""Well-known shapes of credentials, by what they are."""

RANDOM_LENGTH = 28
RANDOM_BITS = 4.2
"""A word of this length with at least so many bits a character (Shannon, over its own letters) is taken for a random token.

English identifiers stay below 4; hexadecimal cannot reach it, so commit ids and digests pass.
"""

_WORD = re.compile(rf"[A-Za-z0-9+_-]{{{RANDOM_LENGTH},}}={{0,2}}")


def check_secrets(subject: Subject) -> Iterator[Diagnostic]:
    """No part of the text, comments included, has the shape of a credential or looks random."""
    yield from secrets_in(subject.loaded.source)


def secrets_in(source: Source) -> Iterator[Diagnostic]:
    """Find what looks like a secret in a source; one diagnostic a line, and never the secret itself in its words."""
    for number, line in enumerate(source.text.split("\n"), 1):
        found = _first(line)
        if found is not None:
            what, start, end = found
            place = Span(
                source=_masked(source, number, start, end),
                start=Position(line=number, column=start + 1),
                end=Position(line=number, column=end + 1),
            )
            yield fault(
                "P380",
                f"this looks like {what}",
                place,
                detail="a spec is published and copied into every registration",
                hint="name the environment variable instead (env: [NAME]); withdraw the secret if it was ever shared",
            )


def _first(line: str) -> tuple[str, int, int] | None:
    for what, shape in SHAPES.items():
        hit = re.search(rf"(?<![A-Za-z0-9]){shape}", line)
        if hit is not None:
            return what, hit.start(), hit.end()
    for hit in _WORD.finditer(line):
        if _looks_random(hit.group()):
            return "a random token", hit.start(), hit.end()
    return None


def _looks_random(word: str) -> bool:
    mixed = re.search(r"[a-z]", word) and re.search(r"[A-Z]", word) and re.search(r"[0-9]", word)
    counts = Counter(word)
    bits = -sum(n / len(word) * math.log2(n / len(word)) for n in counts.values())
    return bool(mixed) and bits >= RANDOM_BITS


def _masked(source: Source, number: int, start: int, end: int) -> Source:
    """Give the source with the secret blotted out, so that showing the line does not spread it."""
    lines = source.text.split("\n")
    line = lines[number - 1]
    lines[number - 1] = line[:start] + "•" * (end - start) + line[end:]
    return Source(name=source.name, text="\n".join(lines))
