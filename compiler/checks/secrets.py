"""No secret stands in a spec: it is published, hashed and copied into every registration."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from compiler.checks.subject import Key, Subject, each, fault
from spec_lang.diagnostics import Diagnostic
from spec_lang.model import Spec
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
        r"(?![A-Z0-9_]+\b)(?=[A-Za-z0-9+/_.~-]*[0-9])(?=[A-Za-z0-9+/_.~-]*[A-Za-z])[A-Za-z0-9+/_.~-]{16,}"
    ),
}
"""Well-known shapes of credentials, by what they are."""

WHY = "a spec is published and copied into every registration"
INSTEAD = "take the value out and let the environment give it; withdraw the secret if it was ever shared"

_CREDENTIAL = re.compile(r"(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_STAND_IN = re.compile(r"^.{0,7}$|test|dummy|fake|example|placeholder|unused|none", re.IGNORECASE)
"""Values that are surely no secret: short ones, and those that say so."""

RANDOM_LENGTH, RANDOM_BITS, RANDOM_RUNS = 28, 4.2, 4
"""A word of this length, in both cases, with so many bits a character (Shannon, over its own letters) and so many separate runs
of digits is taken for a random token.

Hexadecimal cannot reach 4.2 bits, so commit ids and digests pass; identifiers do not scatter their digits.
"""

_WORD = re.compile(rf"[A-Za-z0-9+]{{{RANDOM_LENGTH},}}={{0,2}}")


def check_secrets(subject: Subject) -> Iterator[Diagnostic]:
    """No part of the text, comments included, has the shape of a credential or looks random; no credential is assigned."""
    found = list(secrets_in(subject.loaded.source))
    yield from found
    # The value of a variable that is called a key may have any shape; a line shown above is not shown twice.
    lines = {one.span.start.line for one in found if one.span is not None}
    for path, env in _environments(subject.spec):
        for name in each(env):
            span = subject.key(*path, name)
            if _CREDENTIAL.search(name) and not _STAND_IN.search(str(env[name])) and span.start.line not in lines:
                summary = f"`{name}` is given a value, and its name is that of a secret"
                yield fault("P380", summary, _hidden(span), detail=WHY, hint=INSTEAD)


def _environments(spec: Spec) -> Iterator[tuple[tuple[Key, ...], Mapping[str, object]]]:
    """Walk every map of environment variables in a spec, with its key path."""
    for name in each(spec.arms):
        yield ("arms", name, "env"), spec.arms[name].env
    agents: list[tuple[tuple[Key, ...], Mapping[str, object]]] = [(("agent",), spec.agent.options)]
    agents += [(("arms", name, "agent"), spec.arms[name].agent) for name in each(spec.arms)]
    agents += [
        (("across", factor, level), spec.across[factor][level])
        for factor in spec.across
        for level in each(spec.across[factor])
    ]
    for path, options in agents:
        env = options.get("env")
        if isinstance(env, Mapping):
            yield (*path, "env"), env
    for name in each(spec.tasks):
        tests = spec.tasks[name].source.options.get("tests")
        env = tests.get("env") if isinstance(tests, Mapping) else None
        if isinstance(env, Mapping):
            yield ("tasks", name, "source", "tests", "env"), env


def _hidden(span: Span) -> Span:
    """Blot out everything behind a key on its line."""
    text = span.source.line(span.start.line)
    masked = _masked(span.source, span.start.line, [(span.end.column - 1, len(text), "")])
    return Span(source=masked, start=span.start, end=span.end)


def secrets_in(source: Source) -> Iterator[Diagnostic]:
    """Find what looks like a secret in a source; one diagnostic a line, and never a secret in what is shown."""
    for number, line in enumerate(source.text.split("\n"), 1):
        found = sorted(_found(line))
        if found:
            start, end, what = found[0]
            place = Span(
                source=_masked(source, number, found),
                start=Position(line=number, column=start + 1),
                end=Position(line=number, column=end + 1),
            )
            yield fault(
                "P380",
                f"this looks like {what}",
                place,
                detail=WHY,
                hint=INSTEAD,
            )


def _found(line: str) -> Iterator[tuple[int, int, str]]:
    for what, shape in SHAPES.items():
        for hit in re.finditer(rf"(?<![A-Za-z0-9]){shape}", line):
            yield hit.start(), hit.end(), what
    for hit in _WORD.finditer(line):
        if _looks_random(hit.group()):
            yield hit.start(), hit.end(), "a random token"


def _looks_random(word: str) -> bool:
    mixed = word != word.lower() and word != word.upper() and len(re.findall(r"[0-9]+", word)) >= RANDOM_RUNS
    bits = -sum(n / len(word) * math.log2(n / len(word)) for n in Counter(word).values())
    return mixed and bits >= RANDOM_BITS


def _masked(source: Source, number: int, found: list[tuple[int, int, str]]) -> Source:
    """Give the source with one line's secrets blotted out, so that showing it does not spread them."""
    lines = source.text.split("\n")
    for start, end, _ in found:
        line = lines[number - 1]
        lines[number - 1] = line[:start] + "•" * (end - start) + line[end:]
    return Source(name=source.name, text="\n".join(lines))
