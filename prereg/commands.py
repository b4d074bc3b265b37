"""The stock commands that repeat an audit's checks of bytes without prereg: sha256sum and a few lines of shell."""

import shlex
from collections.abc import Iterator

from compiler.registry import Entry
from ledger.canonical import digest
from prereg.case import Case

CHAIN = r"""prev={genesis}
n=0
while IFS= read -r line; do
  n=$((n + 1))
  case $line in
    *'"prev":"sha256:'$prev'"'*'"seq":'$n[,}}]*) ;;
    *) echo "line $n does not follow" >&2; exit 4 ;;
  esac
  prev=$(printf %s "$line" | sha256sum | cut -d' ' -f1)
done < {ledger}
printf '{{"head":"sha256:%s","seq":%d}}' "$prev" "$n" | cmp - {head} && echo "{ledger}: $n lines, OK"
"""
"""Walks the chain: each line must name the SHA-256 of the one before; the last must be the one that head.json names."""


def audit_commands(case: Case) -> tuple[str, ...]:
    """Give the commands, to be run in order by a POSIX shell in the experiment folder; each fails when a check fails."""
    return tuple(_commands(case))


def _commands(case: Case) -> Iterator[str]:
    yield "set -e"
    yield f"cd {shlex.quote(str(case.experiment.root))}"
    for each in case.entries:
        yield from _registration(each)
    run = f"runs/{case.folder.name}"
    ledger, head = shlex.quote(f"{run}/ledger.jsonl"), shlex.quote(f"{run}/head.json")
    genesis = case.entry.digest.removeprefix("sha256:")
    yield CHAIN.format(genesis=genesis, ledger=ledger, head=head).rstrip("\n")
    for folder, named in case.blobs.items():
        where = folder.resolve().relative_to(case.experiment.root).as_posix()
        yield from (_check(value, f"{where}/{value.removeprefix('sha256:')}") for value in named)
    for env, digests in case.sealed.items():
        yield f"[ -d \"${{{env}:-}}/blobs\" ] || echo '{len(digests)} sealed blobs are in the private store ${env}, not here: not checked'"
        for value in digests:
            name = value.removeprefix("sha256:")
            yield f'[ ! -d "${{{env}:-}}/blobs" ] || echo "{name}  ${env}/blobs/{name}" | sha256sum -c -'
    if case.folder.verdict.is_file():
        stored = digest(case.folder.verdict.read_bytes())
        yield _check(stored, f"{run}/verdict.json")
        yield f"grep -q {shlex.quote(stored)} {ledger} && echo 'the ledger remembers this verdict'"


def _registration(entry: Entry) -> Iterator[str]:
    where = f"registry/{entry.name}"
    registered = entry.registration
    yield _check(entry.digest, f"{where}/registration.json")
    yield _check(registered.spec["source_digest"], f"{where}/spec.yaml")
    yield _check(registered.spec["digest"], f"{where}/spec.json")
    yield _check(str(registered.plan["digest"]), f"{where}/plan.json")
    for value in sorted(set(registered.inputs.values())):
        yield _check(value, f"{where}/inputs/{value.removeprefix('sha256:')}")


def _check(value: str, path: str) -> str:
    return f"echo {shlex.quote(value.removeprefix('sha256:') + '  ' + path)} | sha256sum -c -"
