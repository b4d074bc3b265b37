"""Lets a provider add an arm's treatment, and holds it to what it declares: no other file, and no part of the answer."""

from pathlib import Path

from executor.attempt import InvalidError, Notebook, TrialOrder
from executor.evidence import MARKS, marks
from executor.leaks import answer_lines, find_leaks
from executor.ports import Prepared, ProviderOrder, Workspace
from executor.protection import matches
from executor.scan import shown
from executor.trees import leaves
from executor.workspace import capture
from ledger.blobs import Blobs


def prepare(
    order: TrialOrder, workspace: Workspace, home: Path, notebook: Notebook
) -> tuple[Prepared, tuple[str, ...]]:
    """Let the provider act; give what it prepared and the workspace files it changed.

    Raises:
        InvalidError: It touched what it does not declare, or brought lines of the answer along.
        WorldFault: The provider, or git, failed.
    """
    inputs = Blobs(order.inputs)
    asked = ProviderOrder(
        arm=order.arm,
        workspace=workspace.root,
        home=home,
        cache=order.cache,
        sandbox=order.sandbox,
        inputs={name: inputs.get(each) for name, each in order.files.items()},
        path=tuple(map(str, order.environment.path)),
        mounts=order.environment.mounts,
        fixture=None if order.task.fixture is None else inputs.get(order.task.fixture),
    )
    prepared = order.provider.prepare(asked)
    notebook.versions |= prepared.versions
    touched = capture(workspace).changed
    declared = (*order.provider.declares(order.arm.provider.options), *prepared.files)
    undeclared = [shown(path) for path in touched if not matches(path, declared)]
    if undeclared:
        raise InvalidError(
            f"the provider touched what it does not declare: {', '.join(undeclared[:5])}",
            {"files": list(declared)},
            {"files": undeclared[:50]},
        )
    _refuse_leaks(order, [home, *(workspace.root / path for path in touched)])
    if order.network == "model":  # requests will be seen, and held against those of other arms
        notebook.keep(MARKS, marks(prepared, touched, workspace.root, home))
    return prepared, touched


def _refuse_leaks(order: TrialOrder, brought: list[Path]) -> None:
    """Refuse an arm whose treatment brings part of the answer along."""
    if order.task.reference is None or not any(
        each.is_file() or any(each.iterdir()) for each in brought if each.exists()
    ):
        return
    pool = order.material
    given = (leaf.data for leaf in leaves(pool.get(order.task.given)))
    found = list(find_leaks(answer_lines(pool.get(order.task.reference), given), brought))
    if found:
        raise InvalidError(
            f"the treatment brings lines of the answer along: {found[0].file} holds {found[0].lines} of {found[0].of}",
            {"answer lines": 0},
            {each.file: each.lines for each in found[:20]},
        )
