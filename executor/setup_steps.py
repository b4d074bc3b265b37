"""Prepares a task's starting tree once, at harvest: the only step of a task that may use a network; kept in the cache."""

import os
import platform
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from compiler.plan import LimitsPlan
from compiler.task import Reason
from executor.environments import Environment
from executor.locking import locked
from executor.ports import Built, Job, Sandbox
from executor.scratch import own_folder
from executor.trees import gather, lay, leaves, pack
from ledger.canonical import canonical, digest

_LIMITS = LimitsPlan(time_s=Decimal(900), output_bytes=64 * 1024 * 1024)
_ENV = {"TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "CI": "true"}
_LET_THROUGH = ("PIP_", "NPM_CONFIG_", "npm_config_", "NODE_EXTRA_CA_CERTS", "SSL_CERT_", "REQUESTS_CA_BUNDLE")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def set_up(built: Built, *, environment: Environment, sandbox: Sandbox, scratch: Path, cache: Path) -> Built | Reason:
    """Give a task with its setup steps done: what they made is part of the starting tree, so a trial needs no network.

    The result is kept under the digest of the starting tree (its lock files and manifests in it), the steps and the machine's
    kind. A step that fails is a reason to drop the task.
    """
    if not built.setup:
        return built
    kept = cache / "setups" / f"{_key(built, environment).removeprefix('sha256:')[:32]}.tar"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with locked(kept.with_suffix(".lock")):
        if not kept.is_file():
            with own_folder(scratch, "setup") as folder:
                done = _carry_out(built, environment, sandbox, folder)
            if isinstance(done, Reason):
                return done
            written = kept.with_suffix(".new")
            written.write_bytes(done)
            written.rename(kept)
    given = kept.read_bytes()
    tests = replace(built.tests, protect=(*built.tests.protect, *made(built.given, given)))
    return replace(built, given=given, tests=tests, setup=())


def made(before: bytes, after: bytes) -> tuple[str, ...]:
    """Give globs of what setup added to a tree: a tool in there is not the agent's to change, and is put back before checks."""
    there = {leaf.path for leaf in leaves(before)}
    folders = {path.split("/", 1)[0] for path in there}
    added = (leaf.path for leaf in leaves(after) if leaf.path not in there)
    return tuple(sorted({path if (top := path.split("/", 1)[0]) in folders else f"{top}/**" for path in added}))


def _key(built: Built, environment: Environment) -> str:
    kind = [platform.system(), platform.machine(), *platform.libc_ver()]
    return digest(canonical([digest(built.given), list(built.setup), kind, dict(environment.versions)]))


def _carry_out(built: Built, environment: Environment, sandbox: Sandbox, folder: Path) -> bytes | Reason:
    tree, home = folder / "tree", folder / "home"
    tree.mkdir()
    home.mkdir()
    lay(built.given, tree)
    for number, step in enumerate(built.setup, 1):
        job = Job(
            argv=("sh", "-c", step),
            workspace=tree,
            home=home,
            limits=_LIMITS,
            stdout=folder / f"{number}.out",
            stderr=folder / f"{number}.err",
            env={**_ENV, **_host_settings()},
            path=tuple(map(str, environment.path)),
            mounts=environment.mounts,
            network="open",
        )
        end = sandbox.run(job)
        if end.exit_code != 0 or end.stopped_by is not None:
            how = f"over its limit of {end.stopped_by}" if end.stopped_by else f"exit status {end.exit_code}"
            detail = f"{step}: {how}: {_said((job.stderr, job.stdout))}"
            return Reason(code="setup-fails", what="a setup step fails", detail=detail)
    try:
        return pack(gather(tree))
    except ValueError as fault:
        return Reason(code="setup-fails", what="setup leaves what no tree can hold", detail=str(fault))


def _host_settings() -> dict[str, str]:
    """Give the variables with which this machine's package managers find their registries; no trial sees them."""
    return {name: value for name, value in os.environ.items() if name.startswith(_LET_THROUGH) or name in _PROXIES}


def _said(files: Sequence[Path]) -> str:
    lines = [line.strip() for file in files for line in file.read_text("utf-8", "replace").splitlines()[-4:]]
    return " / ".join(line for line in lines if line)[-400:]
