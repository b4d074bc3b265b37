"""Finds tasks that were made by injecting a defect into a repository at a pinned commit; the defect is part of the one start."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Literal

from compiler.task import Reason, TestPlan
from executor.own_files import files_digests
from executor.patches import names_on_changed_lines
from executor.ports import Built, Found
from executor.protection import INFRASTRUCTURE, matches
from executor.reading import ReadTasks
from executor.sources.defect_folder import PARTS, DefectFolder
from executor.sources.git import Repository
from executor.sources.history_settings import HistorySettings, read_settings
from executor.sources.injection import Injected, Refused, inject
from executor.sources.task_folder import task_digests, task_file, task_folders, tree
from executor.trees import pack
from ledger.canonical import canonical, digest
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """A repository that defects are put into: how it is tested, and the shared context of its tasks."""

    settings: HistorySettings
    repository: Repository
    fixture: str | None


class Defects:
    """Injected defects of a folder, by name. ``read`` is given by the face: what an author may write is not known down here."""

    kind: ClassVar[str] = "defects"
    task_files: ClassVar[Literal["task", "defect"]] = "defect"

    def __init__(self, read: ReadTasks | None = None) -> None:
        self.read = read

    def origin(self, options: Mapping[str, Plain], base: Path) -> str:
        """Give ``name@digest`` of everything in the folder's tasks, and ``name@commit`` of each repository.

        Raises:
            WorldFault: There is no such folder, or a repository cannot be read the same way by the next person.
        """
        root = _root(options, base)
        trees = {each.name: digest(pack(tree(each))) for each in task_folders(root)}
        places = _places(options, base, verify=True)
        pinned = [f"{each.repository.name}@{each.settings.at}" for _, each in sorted(places.items())]
        return ", ".join((f"{root.name}@{digest(canonical(trees))}", *pinned))

    def own_files(self, options: Mapping[str, Plain], base: Path) -> Mapping[str, str]:
        """Give the digest of each task, and of each shared fixture, as ``executor.own_files`` asks for it."""
        said = options["repositories"]
        assert isinstance(said, Mapping)  # the spec's schema requires it
        named = [each.get("fixture") for each in said.values() if isinstance(each, Mapping)]
        tasks = task_digests(_root(options, base), PARTS)
        return {**tasks, **files_digests(base, [str(name) for name in named if name is not None])}

    def find(self, options: Mapping[str, Plain], base: Path) -> Iterator[Found]:
        """List every task by name. All task files are read before the first is given.

        Raises:
            WorldFault: There is no such folder, it holds no task (``no-folder``), or a repository cannot be read.
            SpecErrors: What the reader says of the files; it passes through unseen.
        """
        root = _root(options, base)
        places = _places(options, base, verify=True)
        tasks = self._tasks(tuple(task_folders(root)))
        if not tasks:
            what = f"the folder {root.name} holds no folder with a task.json or task.yaml"
            raise WorldFault(Fault(code="no-folder", what=what, hint="a task is NAME/task.yaml with NAME/defect.patch"))
        for task in tasks:
            place = places.get(task.repository)
            yield Found(
                id=task.id,
                facts=task.facts() | ({} if place is None else _placed(task, place, base)),
                gold_files=task.touched,
                category=task.category,
                requires=task.requires,
                dropped=_unfit(task, place),
            )

    def build(self, options: Mapping[str, Plain], base: Path, found: Found) -> Built | Reason:
        """Put the defect into the commit's tree: that is what is given, and the way back is the reference."""
        task = self._tasks((_root(options, base) / found.id,))[0]
        place = _places(options, base, verify=False)[task.repository]
        commit = task.commit or place.settings.at
        try:
            place.repository.verify((commit,))
        except WorldFault as fault:
            return Reason(code="commit", what="its commit is not there", detail=fault.reasons[0].what)
        with TemporaryDirectory(prefix="prereg-defect-") as folder:
            injected = inject(task.patch, place.repository, commit, Path(folder).resolve())
        if isinstance(injected, Refused):
            return Reason(code=injected.code, what=injected.what, detail=injected.detail)
        return _built(task, place, injected)

    def _tasks(self, places: tuple[Path, ...]) -> tuple[DefectFolder, ...]:
        if self.read is None:
            raise WorldFault(Fault(code="no-reader", what="nobody gave the source `defects` a reader of task files"))
        said = self.read([task_file(place) for place in places])
        return tuple(DefectFolder(place=place, said=each) for place, each in zip(places, said, strict=True))


def _built(task: DefectFolder, place: _Place, injected: Injected) -> Built | Reason:
    settings = place.settings
    tests = [path for path in injected.changed if settings.is_test(path) or matches(path, INFRASTRUCTURE)]
    if tests:
        return Reason(code="touches-tests", what="the defect changes tests or what runs them", detail=tests[0])
    held_out = [leaf for leaf in injected.right if settings.is_test(leaf.path) or matches(leaf.path, INFRASTRUCTURE)]
    files = tuple(sorted(leaf.path for leaf in held_out if matches(leaf.path, settings.test_files)))
    if not files and not settings.suite:
        return Reason(code="no-test-files", what="its commit holds no file that `test_files` matches")
    return Built(
        given=pack(injected.wrong),
        held_out=pack(held_out),
        reference=injected.back,
        tests=TestPlan(
            run=settings.run,
            report=settings.report,
            files=settings.suite or files,
            fail_to_pass=(),
            pass_to_pass=(),
            restore=tuple(sorted(leaf.path for leaf in held_out)),
            protect=(*settings.test_globs, *INFRASTRUCTURE),
            env=settings.env,
            timeout_s=settings.timeout_s,
            each_timeout_s=settings.each_timeout_s,
        ),
        gold_symbols=names_on_changed_lines(injected.back),
        declared=tuple(sorted(task.declared)),
    )


def _unfit(task: DefectFolder, place: _Place | None) -> Reason | None:
    if place is None:
        what = "its repository is not among those of the spec"
        return Reason(code="no-repository", what=what, detail=task.repository)
    return task.broken()


def _placed(task: DefectFolder, place: _Place, base: Path) -> dict[str, Plain]:
    """Give the facts that a task has from its repository: the commit, and the shared context where it brings none itself."""
    facts: dict[str, Plain] = {"commit": task.commit or place.settings.at}
    fixture = task.fixture or _shared(place, base)
    return facts if fixture is None else {**facts, "fixture": dict(fixture)}


def _shared(place: _Place, base: Path) -> Mapping[str, str] | None:
    if place.fixture is None:
        return None
    try:
        return {"file": place.fixture, "text": (base / place.fixture).read_text("utf-8")}
    except (OSError, UnicodeDecodeError) as problem:
        what = f"the fixture {place.fixture} cannot be read as UTF-8 text"
        hint = "`fixture` is relative to the spec's folder"
        raise WorldFault(Fault(code="no-fixture", what=what, where="repositories", hint=hint)) from problem


def _places(options: Mapping[str, Plain], base: Path, *, verify: bool) -> dict[str, _Place]:
    said = options["repositories"]
    assert isinstance(said, Mapping)  # the spec's schema requires it
    places: dict[str, _Place] = {}
    for name, each in said.items():
        assert isinstance(each, Mapping)
        settings = read_settings({**each, "repository": each["path"]})
        repository = Repository((base / settings.repository).resolve(), name=name)
        if verify:
            repository.verify((settings.at,))
        fixture = each.get("fixture")
        places[name] = _Place(
            settings=settings, repository=repository, fixture=None if fixture is None else str(fixture)
        )
    return places


def _root(options: Mapping[str, Plain], base: Path) -> Path:
    return (base / str(options["path"])).resolve()
