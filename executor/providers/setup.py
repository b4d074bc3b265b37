"""A provider that runs commands before the agent starts, in the sandbox, with a network: installs a tool, builds an index."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

from compiler.plan import LimitsPlan
from executor.ports import Job, JobEnd, Mount, Prepared, ProviderOrder
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

LIMITS = LimitsPlan(time_s=Decimal(1800), output_bytes=64 << 20)
"""What one setup command may use; it is no part of what is measured."""
_PYTHON = frozenset({"pip", "pip3", "python", "python3"})
_CACHE = "/var/cache/pip"


class SetupProvider:
    """Runs ``run`` in order; every command must end with code 0. Only ``declares`` may differ in the workspace afterwards.

    What is installed goes into the agent's home: where a command uses Python, into a virtual environment there.
    ``versions`` (name → command) are asked afterwards and recorded with the trial.
    """

    kind: ClassVar[str] = "setup"

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """Give the globs of the workspace paths that the commands may touch."""
        return _words(options.get("declares", ()))

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Run the commands. Raises WorldFault (``setup``) when one fails, names it and tells its last words."""
        options = order.arm.provider.options
        said = options.get("run")
        commands = [_words(each) for each in said] if isinstance(said, Sequence) and not isinstance(said, str) else []
        asked = options.get("versions")
        versions = {name: _words(each) for name, each in asked.items()} if isinstance(asked, Mapping) else {}
        place = _Place(order)
        if any(command[0] in _PYTHON for command in (*commands, *versions.values())):
            place.run(("python3", "-m", "venv", "--system-site-packages", place.inside(order.home / ".venv")))
        for command in commands:
            place.run(command)
        found = {name: place.run(command) for name, command in versions.items()}
        return Prepared(path=place.path, files=self.declares(options), versions=found)


class _Place:
    """Where the commands of one order run."""

    def __init__(self, order: ProviderOrder) -> None:
        self.order = order
        self.path = tuple(str(order.home / each) for each in (".venv/bin", ".local/bin"))
        self.count = 0
        (order.cache / "pip").mkdir(parents=True, exist_ok=True)

    def inside(self, host: Path) -> str:
        return self.order.sandbox.inside(self._job(("true",)), host)

    def run(self, argv: tuple[str, ...]) -> str:
        """Run a command; give the last line that it printed."""
        self.count += 1
        job = self._job(argv)
        end = self.order.sandbox.run(job)
        printed = job.stdout.read_bytes().decode("utf-8", "replace").strip()
        if end.exit_code != 0:
            said = job.stderr.read_bytes().decode("utf-8", "replace").strip() or printed
            raise WorldFault(
                Fault(
                    code="setup",
                    what=f"the setup command {' '.join(argv)!r} {_how(end)}",
                    got=said[-800:],
                    where=f"arms.{self.order.arm.name}.provider.run",
                    hint="try the same by hand; the attempt is repeated when the run is resumed",
                )
            )
        return printed.splitlines()[-1] if printed else ""

    def _job(self, argv: tuple[str, ...]) -> Job:
        order = self.order
        logs = order.home.parent / "setup"
        logs.mkdir(exist_ok=True)
        cache = Mount(host=order.cache / "pip", inside=_CACHE, writable=True)
        isolated = getattr(order.sandbox, "isolates", True)
        return Job(
            argv=argv,
            workspace=order.workspace,
            home=order.home,
            limits=LIMITS,
            stdout=logs / f"{self.count}.out",
            stderr=logs / f"{self.count}.err",
            env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CACHE_DIR": _CACHE if isolated else str(cache.host)},
            path=(*self.path, *order.path),
            mounts=(*order.mounts, cache),
            network="open",
        )


def _how(end: JobEnd) -> str:
    if end.stopped_by is not None:
        return f"passed its limit ({end.stopped_by})"
    return f"ended with code {end.exit_code}" if end.signal is None else f"was ended by signal {end.signal}"


def _words(value: Plain) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
