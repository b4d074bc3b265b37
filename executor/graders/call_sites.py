"""The ``call-sites`` check: how often an API is used in a tree, that none of an old one is left, or that enough of a new one are there."""

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from executor.graders.consolidations import Reported, read_reports
from executor.graders.python_sites import survey_python
from executor.graders.script_sites import survey_scripts
from executor.graders.sites import Api, Asked, Files, Site, Survey
from executor.ports import CheckResult, GradeOrder
from executor.protection import matches
from ledger.plain import Plain

_ENDINGS = {
    "python": (".py",),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs"),
}


class CallSitesGrader:
    """Counts syntax, not text, in the graded tree and in the one that was given. Nothing of the tree is imported or run."""

    kind: ClassVar[str] = "call-sites"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Count the sites of ``of`` (names that are followed) and ``patterns``.

        Without ``replaces`` it holds when at most ``most`` sites (0 unless given) are left, no name hands the API on, and no
        call by a computed name has come: the check of an *old* API. With ``replaces`` it holds when the living sites, with
        the consolidations that were reported and judged good, are no fewer than all sites of both APIs at the start: the
        check of a *new* one. A file that cannot be parsed may hide anything, so it never holds then.
        """
        asked = _Asked.read(order.check.options)
        pristine, graded = asked.files(order.pristine), asked.files(order.root)
        before, after = asked.survey(pristine), asked.survey(graded)
        judged = _floor(order, asked, before, after, pristine) if asked.replaces else _residual(asked, before, after)
        facts: dict[str, Plain] = {
            "count": len(after.sites),
            "before": len(before.sites),
            "reexports": len(after.reexports),
            "dynamic": len(after.dynamic),
            "dynamic_call_sites": [site.place for site in before.dynamic],
            **judged.facts,
        }
        blame = [*judged.blame, *(f"{path}: cannot be parsed" for path in after.unread)]
        detail = "; ".join([*blame[:10], *([f"and {len(blame) - 10} more"] if len(blame) > 10 else [])])
        return CheckResult(
            ok=not blame,
            facts=facts,
            detail=detail or f"{len(after.sites)} sites, {len(before.sites)} at the start",
            artefacts={"sites": _written(order, before, after, judged.reports)},
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """The options of the check, read."""

    language: str
    paths: tuple[str, ...]
    apis: tuple[Api, ...]
    patterns: tuple[str, ...]
    most: int
    replaces: Asked | None
    consolidations: str | None
    needs: str | None

    @classmethod
    def read(cls, options: Mapping[str, Plain]) -> "_Asked":
        most, replaces = options.get("most", 0), options.get("replaces")
        language = str(options["language"])
        apis = _apis(options.get("of"))
        return cls(
            language=language,
            paths=_texts(options.get("paths")) or ("**",),
            apis=apis,
            patterns=_texts(options.get("patterns")),
            most=most if isinstance(most, int) else 0,
            replaces=Asked(apis=_apis(replaces.get("of")), patterns=_texts(replaces.get("patterns")), within=apis)
            if isinstance(replaces, Mapping)
            else None,
            consolidations=None if options.get("consolidations") is None else str(options["consolidations"]),
            needs=None if options.get("needs") is None else str(options["needs"]),
        )

    def files(self, root: Path) -> Files:
        """Read the files of the language that ``paths`` name; links are no files, and bytes that are no text are replaced."""
        found = {}
        for place, folders, names in os.walk(root):
            folders[:] = sorted(each for each in folders if each not in (".git", "node_modules", "__pycache__"))
            for name in sorted(names):
                file = Path(place, name)
                path = file.relative_to(root).as_posix()
                if name.endswith(_ENDINGS[self.language]) and matches(path, self.paths) and not file.is_symlink():
                    found[path] = file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        return found

    def survey(self, files: Files) -> Survey:
        """Search for the API itself."""
        within = () if self.replaces is None else self.replaces.apis
        return self.search(files, Asked(apis=self.apis, patterns=self.patterns, within=within))

    def search(self, files: Files, asked: Asked) -> Survey:
        """Search for an API in this check's language."""
        return survey_python(files, asked) if self.language == "python" else survey_scripts(files, asked, self.language)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Judged:
    facts: Mapping[str, Plain]
    blame: tuple[str, ...]
    reports: tuple[Reported, ...] = ()


def _residual(asked: _Asked, before: Survey, after: Survey) -> _Judged:
    blame = [f"{site.place}: {site.form}: {site.text}" for site in after.sites] if len(after.sites) > asked.most else []
    blame += [f"{site.place}: handed on: {site.text}" for site in after.reexports]
    old = Counter((site.path, site.text) for site in before.dynamic)
    for site in after.dynamic:
        if old[site.path, site.text] > 0:
            old[site.path, site.text] -= 1
        else:
            blame.append(f"{site.place}: by a name that only a run knows: {site.text}")
    return _Judged(facts={}, blame=tuple(blame))


def _floor(order: GradeOrder, asked: _Asked, before: Survey, after: Survey, pristine: Files) -> _Judged:
    assert asked.replaces is not None
    replaced = asked.search(pristine, asked.replaces).sites
    living = [site for site in after.sites if not site.dead]
    earlier = (*replaced, *(site for site in before.sites if not site.dead))
    reports: tuple[Reported, ...] = ()
    if asked.consolidations is not None:
        reports = read_reports(order.root / asked.consolidations, earlier, living)
    justified = asked.needs is None or order.earlier.get(asked.needs) is True
    merged = sum(each.merged for each in reports) if justified else 0
    facts: dict[str, Plain] = {
        "count": len(living),
        "floor": len(earlier),
        "merged": merged,
        "reported": len(reports),
    }
    blame = []
    if len(living) + merged < len(earlier):
        why = (
            ""
            if justified or not reports
            else f", of {len(reports)} reports none counts: `{asked.needs}` does not hold"
        )
        blame.append(f"{len(living)} sites and {merged} merged ones, {len(earlier)} needed{why}")
        blame += [f"{each.said}: {each.refused}" for each in reports if each.refused is not None]
    return _Judged(facts=facts, blame=tuple(blame), reports=reports)


def _apis(said: Plain) -> tuple[Api, ...]:
    return tuple(Api.read(each) for each in _texts(said))


def _texts(said: Plain) -> tuple[str, ...]:
    return tuple(map(str, said)) if isinstance(said, Sequence) and not isinstance(said, str) else ()


def _written(order: GradeOrder, before: Survey, after: Survey, reports: tuple[Reported, ...]) -> Path:
    """Write all sites down, for whoever wants to look."""
    number = len(list(order.scratch.glob("call-sites-*.json"))) + 1
    file = order.scratch / f"call-sites-{number}.json"
    sides = {"start": before, "result": after}
    told = {
        side: {"sites": _plain(each.sites), "reexports": _plain(each.reexports), "dynamic": _plain(each.dynamic)}
        for side, each in sides.items()
    }
    file.write_text(json.dumps({**told, "consolidations": [each.plain() for each in reports]}, indent=1), "utf-8")
    return file


def _plain(sites: Sequence[Site]) -> list[Plain]:
    return [site.plain() for site in sites]
