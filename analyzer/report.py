"""Renders the report: a pure function of the stored verdict, the plan and the ledger, so its bytes can be made again."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from jinja2 import DictLoader, Environment, StrictUndefined, select_autoescape

from analyzer.derivation import NUMBERS
from analyzer.document import Facts, Registered, ReportInput, facts
from analyzer.figures.sheet import alone, library, style
from analyzer.page import MOST_LISTED, Figure, Page, Section
from analyzer.sections import (
    accounting,
    costs,
    course,
    decision,
    design,
    existence,
    judged,
    nulls,
    pairs,
    rates,
    results,
    robust,
    selection,
    simulated,
    tools,
    trials,
)
from analyzer.sections.again import again, derivations
from analyzer.wording import STATUS, banner, label

__all__ = ["FIGURES", "FILES", "NUMBERS", "Registered", "ReportInput", "page", "render"]

FILES: Mapping[str, str] = {"report.md": "report.md.j2", "report.html": "report.html.j2"}
"""The files of a report, and the template of each."""

FIGURES = "figures"
"""The folder beside them that holds each figure as a file of its own."""

Writes = Callable[[Facts], Section]

SECTIONS: tuple[Writes, ...] = (
    decision.decision,
    results.endpoints,
    nulls.nulls,
    existence.existence,
    design.limits,
    tools.unscored,
    pairs.pairs,
    rates.rates,
    robust.robust,
    simulated.simulated,
    trials.arms,
    trials.matrix,
    trials.attempts,
    costs.costs,
    accounting.accounting,
    judged.judged,
    course.course,
    design.changes,
    selection.selection,
    design.contamination,
    trials.versions,
    tools.tools,
    design.threats,
    design.provenance,
    design.next_run,
)
"""The order of a report behind its verdict."""

DRAWING: tuple[Writes, ...] = (
    decision.decision,
    results.endpoints,
    pairs.pairs,
    simulated.simulated,
    trials.matrix,
    course.course,
)
"""Those that have pictures. They are worked out first, since drawing takes longest and may go on beside the rest."""

Drawn = Callable[[], Mapping[str, str]]
"""Waits for pictures that were begun, and gives the SVG of each by its id."""


def drawn_by(figures: Sequence[Figure]) -> Mapping[str, str]:
    """Draw pictures here and now: the SVG of each by its id."""
    return {each.id: each.draw() for each in figures}


@contextmanager
def when_asked(figures: Sequence[Figure]) -> Iterator[Drawn]:
    """Draw the pictures when they are waited for."""
    yield lambda: drawn_by(figures)


def render(
    document: ReportInput,
    template_text: Mapping[str, str],
    *,
    begin: Callable[[Sequence[Figure]], AbstractContextManager[Drawn]] = when_asked,
) -> dict[str, str]:
    """Render the files of a report whose templates are given, by name; with the page, each figure as a file of its own.

    ``begin`` begins the pictures, which are waited for when the words beside them stand; whoever draws them, their bytes are the
    same. What it holds meanwhile it lets go, whatever happens.

    Raises:
        IntegrityFault: As ``analyzer.judge.judge``.
    """
    wanted = {file: template for file, template in FILES.items() if template in template_text}
    known = facts(document)
    first = {section: section(known) for section in DRAWING}
    figures = [each for made in first.values() for each in made.figures] if "report.html" in wanted else []
    with begin(figures) as drawn:
        shown, svg = _page(known, first), drawn()
    environment = Environment(
        loader=DictLoader(dict(template_text)),
        autoescape=select_autoescape(enabled_extensions=("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"md": markdown, "md_line": markdown_line, "md_code": markdown_code, "held": held}
    said = {"page": shown, "svg": svg, "made_by": f"{document.tool}; {library()}", "light": style(0), "dark": style(1)}
    said["most"] = MOST_LISTED
    files = {file: environment.get_template(template).render(said) for file, template in wanted.items()}
    files[NUMBERS] = "".join(f"{line}\n" for line in shown.numbers)
    return files | {f"{FIGURES}/{name}.svg": alone(each) for name, each in svg.items()}


def page(document: ReportInput) -> Page:
    """Work out what a report says, before it is written in any form."""
    return _page(facts(document), {})


def _page(known: Facts, first: Mapping[Writes, Section]) -> Page:
    document, found = known.document, derivations(known)
    verdict, plan = document.verdict, document.plan
    marked = label(verdict.stage, simulated=verdict.simulated)
    said = STATUS[verdict.status] + (f" ({marked})" if marked else "")
    return Page(
        title=f"{document.experiment}, run {document.run}: {said}",
        name=f"{document.experiment}, run {document.run}",
        banner=banner(verdict.stage, simulated=verdict.simulated),
        label=marked,
        status=verdict.status,
        verdict=said,
        claim=verdict.claim,
        wording=verdict.wording,
        question=plan.question,
        sections=(_beware(document), *_sections(known, first), again(document.run, found, known)),
        numbers=tuple(each.line for each in found),
    )


def _sections(known: Facts, first: Mapping[Writes, Section]) -> Iterator[Section]:
    """Give the sections in their order; one that has nothing to say of this design is left out. ``first`` are there already."""
    for section in SECTIONS:
        made = first.get(section) or section(known)
        if made.lead or made.points or made.tables or made.figures:
            yield made


def _beware(document: ReportInput) -> Section:
    late: dict[str, list[str]] = {}
    for name, why in document.verdict.post_hoc.items():
        late.setdefault(why, []).append(name)
    above = {each.partition(":")[0] for each in banner(document.verdict.stage, simulated=document.verdict.simulated)}
    warned = [each for each in document.verdict.warnings if each.partition(":")[0] not in above]
    points = (*warned, *(f"post hoc: {', '.join(names)}: {why}" for why, names in late.items()))
    none = "Nothing beyond what stands above." if above else "No warning."
    return Section(id="warnings", title="What to know first", lead=() if points else (none,), points=points)


_UNITS = re.compile(r"(?<=\d) (?=%|[A-Za-z]{1,6}(?![A-Za-z]))|(?<=\bof) (?=\d)")
"""The spaces before a short unit, and on both sides of ``of``; longer words may stand on a line of their own."""


def held(text: str) -> str:
    """Keep a number and what it counts on one line: ``7794 s`` and ``22 of 30`` are never parted."""
    return _UNITS.sub("\N{NO-BREAK SPACE}", text)


_MARKS = re.compile(
    r"[\\`*]"  # always marks
    r"|\|"  # parts cells
    r"|~~"
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # an underscore inside a word marks nothing
    r"|(?<=\])\("  # a link
)
_STARTS = re.compile(r"^([-+#>=])|^(\d+)(?=[.)])")
"""What makes a list, a heading or a quotation of the line that it starts."""


def markdown(text: str) -> str:
    """Write text so that Markdown shows it as it is inside a table or a sentence, from whomever it came."""
    safe = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKS.sub(lambda found: "\\" + found.group(), safe)


def markdown_line(text: str) -> str:
    """Write text so that it may start a line."""
    return _STARTS.sub(lambda found: "\\" + found.group() if found.group(1) else found.group(2) + "\\", markdown(text))


def markdown_code(text: str) -> str:
    """Write text in backticks; a backtick in it becomes an apostrophe, a bar is kept from parting cells."""
    return f"`{' '.join(text.split()).replace('`', chr(39)).replace('|', chr(92) + '|')}`"
