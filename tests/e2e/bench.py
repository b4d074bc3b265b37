"""One shipped task of a folder with its reference applied, to be spoiled and graded again and again."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from compiler.own_terms import own_oracle
from compiler.plan import Chosen
from compiler.task import Candidate
from executor.check_order import in_order
from executor.gates import Side, side_tree
from executor.graders.call_sites import CallSitesGrader
from executor.graders.command import CommandGrader
from executor.graders.contains import FileContainsGrader
from executor.graders.differential import DifferentialGrader
from executor.graders.number import NumberGrader
from executor.measures import check_facts
from executor.ports import Built, CheckResult, GradeOrder, Grader
from executor.sandboxes.local import LocalSandbox
from executor.sources.folder import Folder
from executor.trees import lay
from prereg.rules import own_verdict
from prereg.task_files import read_tasks

GRADERS: dict[str, Grader] = {
    each.kind: each
    for each in (CallSitesGrader(), CommandGrader(), FileContainsGrader(), NumberGrader(), DifferentialGrader())
}
Mutant = Callable[[Path], None]


def as_it_is(root: Path) -> None:
    """No mutant."""


class Bench:
    """A task, its starting tree, and its own oracle."""

    def __init__(self, experiment: Path, shape: str, scratch: Path) -> None:
        source, options = Folder(read=read_tasks), {"path": shape}
        (found,) = source.find(options, experiment)
        built = source.build(options, experiment, found)
        assert isinstance(built, Built)
        self.built, self.scratch = built, scratch
        self.facts = found.facts
        self.oracle = own_oracle(Candidate(id=found.id, set=shape, status="kept", facts=found.facts))
        self.pristine = scratch / "pristine"
        self.pristine.mkdir()
        lay(built.given, self.pristine)

    def grade(self, mutate: Mutant, *names: str, side: Side = "fix") -> dict[str, CheckResult]:
        """Spoil the reference's tree (or the start), and judge some checks of it, or all."""
        place = self.scratch / "work"
        place.mkdir()
        results: dict[str, CheckResult] = {}
        try:
            with side_tree(side, self.built, self.pristine, place) as root:
                mutate(root)
                checks = {name: each for name, each in self.oracle.checks.items() if isinstance(each, Chosen)}
                for name, check in in_order(checks):
                    if not names or name in names:
                        results[name] = GRADERS[check.kind].grade(self._order(check, root, place, results))
        finally:
            shutil.rmtree(place)
        return results

    def _order(self, check: Chosen, root: Path, place: Path, results: dict[str, CheckResult]) -> GradeOrder:
        return GradeOrder(
            check=check,
            root=root,
            pristine=self.pristine,
            changed=(),
            answer=None,
            events=(),
            tests=None,
            scratch=place,
            sandbox=LocalSandbox(),
            path=(str(Path(sys.executable).parent),),
            earlier={name: each.ok for name, each in results.items()},
        )

    def verdict(self, results: dict[str, CheckResult]) -> Literal["pass", "partial", "fail"]:
        """Judge results by the task's own conditions, as a run does."""
        facts = check_facts({name: {**each.facts, "ok": each.ok} for name, each in results.items()})
        return own_verdict(self.facts, facts)


def replacing(file: str, *pairs: tuple[str, str]) -> Mutant:
    """A mutant that puts other text into a file of the tree."""

    def mutate(root: Path) -> None:
        path = root / file
        text = path.read_text("utf-8")
        for old, new in pairs:
            assert old in text, f"{file} has no {old!r}"
            text = text.replace(old, new)
        path.write_text(text, "utf-8")

    return mutate


def writing(file: str, text: str) -> Mutant:
    """A mutant that writes a file of the tree anew."""

    def mutate(root: Path) -> None:
        (root / file).write_text(text, "utf-8")

    return mutate


def both(*mutants: Mutant) -> Mutant:
    """Several mutants, one after the other."""

    def mutate(root: Path) -> None:
        for each in mutants:
            each(root)

    return mutate
