"""Finds what an author's code patterns match: syntax trees are compared, so comments and texts are never matched."""

from collections.abc import Iterator, Sequence

from ast_grep_py import SgNode, SgRoot

from executor.graders.sites import Files, Form, Site


def language_of(path: str, language: str) -> str:
    """Name the grammar of a file: JavaScript is read as TypeScript with JSX, whose grammar knows all of it."""
    if language == "javascript" or (language == "typescript" and path.endswith("x")):
        return "tsx"
    return language


def pattern_sites(files: Files, language: str, patterns: Sequence[str]) -> Iterator[Site]:
    """Give a site for every match of every pattern (``$X.fetch($$$ARGS)``)."""
    for path, text in files.items() if patterns else ():
        root = SgRoot(text, language_of(path, language)).root()
        lines = text.split("\n")
        for pattern in patterns:
            for match in root.find_all(pattern=pattern):
                yield node_site(path, lines, match, "pattern")


def node_site(path: str, lines: Sequence[str], node: SgNode, form: Form) -> Site:
    """Give the site at which a node begins."""
    start = node.range().start
    line = lines[start.line] if start.line < len(lines) else ""
    return Site(path=path, line=start.line + 1, column=start.column + 1, form=form, text=line.strip()[:200])
