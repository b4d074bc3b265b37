"""Finds tasks in closed issues: the text of an issue is the prompt, the merge commit that closed it is the fix, its tests are withheld."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from compiler.task import Reason
from executor.own_files import files_digests
from executor.ports import Built, Found
from executor.protection import INFRASTRUCTURE, matches
from executor.reading import Export, ExportReader
from executor.sources.fixes import is_run, is_text, plan_of_tests, run_files, trees_of, utc, versions
from executor.sources.git import Change, Commit, Entry, Repository
from executor.sources.history_settings import HistorySettings, read_settings
from executor.sources.issue_links import Linked, linked
from executor.sources.symbols import introduced
from executor.trees import pack
from executor.vault import Vault, open_vault, store_env
from executor.withheld import Withheld
from ledger.canonical import canonical, digest
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

ORDER = "order"
"""Fact of a private candidate: its place among all issues by number, which stands for the number that is not told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Site:
    """Where issues and history are read; ``vault`` is the private store that both lie in."""

    settings: HistorySettings
    repository: Repository
    root: Path
    issues: str
    pulls: str
    strict: bool
    vault: Vault | None


class _Unnamed(Repository):
    """A private history: what is wrong with it is told, and nothing that names it, its files or its commits."""

    def _fault(self, code: str, what: str, *, hint: str) -> WorldFault:
        del what
        hint = hint.replace("the spec's folder", "the store")
        return WorldFault(Fault(code=code, what=f"{self.name} cannot be read as it stands", where=self.name, hint=hint))


class Issues:
    """Closed issues with the commits that fixed them. ``exports`` is given by the face: what an export may hold is not known down here."""

    kind: ClassVar[str] = "issues"

    def __init__(self, exports: ExportReader | None = None) -> None:
        self.exports = exports

    def origin(self, options: Mapping[str, Plain], base: Path) -> str:
        """Give ``name@commit`` with the digest of both exports; of a private set one word that only its key connects with them."""
        site = self._open(options, base)
        exports = digest(canonical([_digest(site.root / name) for name in (site.issues, site.pulls)]))
        if site.vault is not None:
            return site.vault.opaque("origin", f"{site.settings.at} {exports}")
        return f"{site.repository.name}@{site.settings.at}, issues {exports}"

    def own_files(self, options: Mapping[str, Plain], base: Path) -> Mapping[str, str]:
        """Give the digest of each export, as ``executor.own_files`` asks for it; of a private set nothing is told."""
        private = store_env(options) is not None
        return {} if private else files_digests(base, [str(options[key]) for key in ("issues", "pulls")])

    def find(self, options: Mapping[str, Plain], base: Path) -> Iterator[Found]:
        """List every closed issue, by number.

        Raises:
            WorldFault: The history cannot be read, or does not hold a commit that the export names (``missing-commit``).
            SpecErrors: What the reader says of the export; it passes through unseen.
        """
        site = self._open(options, base)
        site.repository.verify((site.settings.at,))
        export = self._reader().export(site.root, site.issues, site.pulls, hide=site.vault is not None)
        links = tuple(linked(export))
        _refuse_missing(site, export, links)
        commits = {each.hash: each for each in site.repository.commits([site.settings.at])}
        wanted = dict.fromkeys(each.fix for each in links if each.fix is not None and each.fix in commits)
        changes = site.repository.changes(wanted)
        burned = site.vault.burned() if site.vault is not None else {}
        for place, each in enumerate(links, start=1):
            changed = changes.get(each.fix or "", ())
            found = _found(site, each, export, commits.get(each.fix or ""), changed)
            if site.vault is not None:
                found = _private(site.vault, found, str(each.issue["url"]), place, burned)
            yield found

    def build(self, options: Mapping[str, Plain], base: Path, found: Found) -> Built | Reason:
        """Give the parent's tree without the fix's tests, those tests, and the rest of the fix as a patch."""
        site = self._open(options, base)
        settings, repository = site.settings, site.repository
        fix, parent = str(found.facts["hash"]), str(found.facts["parent"])
        trees = trees_of(settings, repository, parent, fix)
        if isinstance(trees, Reason):
            return trees
        withheld = _withheld(site, trees.changed, trees.here)
        if isinstance(withheld, Reason):
            return withheld
        tests = plan_of_tests(settings, trees.changed, trees.after, trees.lacking)
        restored = [entry for entry in trees.after if entry.path in tests.restore]
        left = [entry for entry in trees.here if not (site.strict and entry.path in withheld.paths)]
        return Built(
            given=pack((*repository.leaves(left), *trees.stubs)),
            held_out=pack(repository.leaves(restored)),
            reference=repository.patch(parent, fix, [each.path for each in trees.source]),
            tests=replace(tests, files=(*withheld.tests, *withheld.suite)),
            gold_symbols=introduced(versions(repository, trees.source)),
            facts={"missing_blobs": sorted(trees.lacking)},
            withheld=withheld,
        )

    def _open(self, options: Mapping[str, Plain], base: Path) -> _Site:
        env = store_env(options)
        vault = None if env is None else open_vault(env)
        root = base if vault is None else vault.root
        said = options if vault is None else _joined(vault, self._reader().store(root), options)
        settings = read_settings(said)
        folder = (root / settings.repository).resolve()
        name = folder.name.removesuffix(".git") or "repository"
        return _Site(
            settings=settings,
            repository=Repository(folder, name=name) if vault is None else _Unnamed(folder, name="the private history"),
            root=root,
            issues=str(said["issues"]),
            pulls=str(said["pulls"]),
            strict=said.get("withhold", "files") == "files",
            vault=vault,
        )

    def _reader(self) -> ExportReader:
        if self.exports is None:
            raise WorldFault(Fault(code="no-reader", what="nobody gave the source `issues` a reader of exports"))
        return self.exports


def _joined(vault: Vault, stored: Mapping[str, Plain], options: Mapping[str, Plain]) -> dict[str, Plain]:
    """Join what a store and a spec say of a private set: each thing is said once. Raises WorldFault (``options``)."""
    twice = sorted(stored.keys() & options.keys())
    said = {**stored, **options}
    missing = [name for name in ("tests", "test_files") if name not in said]
    if twice or missing:
        what = f"`{twice[0]}` is said by the spec and by store.json" if twice else f"nothing says `{missing[0]}`"
        hint = (
            "say it in one of them" if twice else "say it in the spec, or in store.json where it would tell the project"
        )
        raise WorldFault(Fault(code="options", what=what, where=f"${vault.env}/store.json", hint=hint))
    return said


def _digest(path: Path) -> str:
    try:
        return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    except OSError:
        return "absent"  # the reader says so, with the name as it was written


# --- finding ---


def _refuse_missing(site: _Site, export: Export, links: Sequence[Linked]) -> None:
    """Refuse an export that names commits which the history does not hold: another history, or an older copy of it."""
    named = {each.fix: each.pull for each in links if each.fix is not None and each.pull is not None}
    absent = site.repository.absent(named)
    faults = [
        Fault(
            code="missing-commit",
            what=f"{site.repository.name} does not hold a merge commit that the export names",
            got=None if site.vault is not None else commit,
            where=export.place(place),
            hint="export and history must belong together: fetch the repository anew, or export what it held",
        )
        for commit, place in named.items()
        if commit in absent
    ]
    if faults:
        raise WorldFault(*faults[:20])


def _found(site: _Site, each: Linked, export: Export, commit: Commit | None, changed: Sequence[Change]) -> Found:
    issue = each.issue
    facts: dict[str, Plain] = {
        "issue.number": issue["number"],
        "issue.title": issue["title"],
        "issue.body": issue["body"],
        "issue.created": issue["createdAt"],
        "issue.closed": issue["closedAt"],
        "issue.reason": issue["stateReason"],
        "issue.labels": [str(label["name"]) for label in issue["labels"]],
        "prompt": f"{issue['title']}\n\n{issue['body']}" if issue["body"] else str(issue["title"]),
    }
    pull = None if each.pull is None else export.pulls[each.pull]
    storable = [one for one in changed if is_text(one.path)]
    if pull is not None:
        facts |= {"pull": pull["number"], "merged": pull["mergedAt"]}
    if commit is not None:
        facts |= {
            "closes": each.closes,
            "hash": commit.hash,
            "parent": commit.parents[0] if commit.parents else None,
            "subject": commit.subject,
            "committed": utc(commit.committed),
            "changed": [{"path": one.path, "status": one.status} for one in storable],
            "sources": [one.path for one in storable if not site.settings.is_test(one.path)],
            "tests": [one.path for one in storable if site.settings.is_test(one.path)],
        }
    return Found(
        id=f"issue-{issue['number']}",
        facts=facts,
        gold_files=tuple(one.path for one in storable if not site.settings.is_test(one.path)),
        dropped=each.reason or _no_fix(commit, changed, 0 if pull is None else int(pull["changedFiles"])),
    )


def _no_fix(commit: Commit | None, changed: Sequence[Change], announced: int) -> Reason | None:
    """Say why a merge commit is not a fix that can be undone: it is elsewhere, or not the whole of what was merged."""
    if commit is None:
        return Reason(code="not-in-history", what="its merge commit is no part of the history at the pinned commit")
    if not commit.parents:
        return Reason(code="no-parent", what="its merge commit is the first commit: there is nothing to start from")
    strange = [each.path for each in changed if not is_text(each.path)]
    if strange:
        return Reason(code="path-encoding", what="a changed path is not UTF-8", detail=ascii(strange[0]))
    if len(changed) < announced:
        what = "its merge commit is not the whole pull request, as after a rebase"
        return Reason(code="rebased", what=what, detail=f"{len(changed)} of {announced} files")
    return None


def _private(vault: Vault, found: Found, url: str, place: int, burned: Mapping[str, str]) -> Found:
    name = vault.opaque("task", url)
    reason = Reason(code="burned", what="it leaked and is not used again") if name in burned else found.dropped
    return replace(found, id=name, facts={**found.facts, ORDER: place, "issue.url": url}, dropped=reason)


# --- building ---


def _withheld(site: _Site, changed: Sequence[Change], here: Sequence[Entry]) -> Withheld | Reason:
    """Say which test files are withheld; a file by which all tests are run cannot be."""
    settings = site.settings
    paths = tuple(sorted(each.path for each in changed if settings.is_test(each.path)))
    there = [entry for entry in here if entry.path in paths]
    needed = [entry.path for entry in there if matches(entry.path, INFRASTRUCTURE)]
    if site.strict and needed:
        what = "the fix changes test infrastructure, which the tests that remain need"
        return Reason(code="unwithholdable", what=what, detail=needed[0])
    remaining = (entry.path for entry in here if entry.path not in paths)
    data = site.repository.blobs(entry.blob for entry in there)
    return Withheld(
        paths=paths,
        strict=site.strict,
        before=frozenset(digest(data[entry.blob]) for entry in there),
        tests=run_files(settings, changed),
        suite=tuple(sorted(path for path in remaining if is_run(settings, path))),
    )
