"""How each tool was driven, what it was granted beside, and what nothing scored."""

from analyzer.document import Facts
from analyzer.page import Cell, Section, cells, code, table


def tools(facts: Facts) -> Section:
    """Show the command line of each arm and its accommodations, also where there is none."""
    plan, opened = facts.document.plan, facts.frame.gathered.opened
    commands = opened.commands if opened is not None else {}
    rows = []
    for arm in plan.arms:
        line = commands.get(arm)
        granted = plan.accommodations.get(arm, ())
        rows.append(
            cells(
                arm,
                Cell(text="not recorded") if line is None else code(" ".join(map(_word, line))),
                "; ".join(granted) or "none",
            )
        )
    return Section(
        id="tools",
        title="How each tool was driven",
        lead=(
            "Every tool is started without a terminal, through the entry point that it documents for that.",
            "What the harness had to do for one tool alone is an accommodation: effort spent on one tool may look like capability.",
        ),
        tables=(
            table(
                "Command lines and accommodations",
                ("arm", "command line, with places filled in", "accommodations"),
                rows,
            ),
        ),
    )


def unscored(facts: Facts) -> Section:
    """List what no oracle decides; a model is never the judge of it."""
    rows = [cells(name, why) for name, why in facts.document.plan.unscored.items()]
    return Section(
        id="unscored",
        title="Not deterministic, not scored",
        lead=(
            "What is scored is exactly what was registered as an endpoint. To be unscored is not to be unimportant.",
        ),
        tables=(
            table(
                "Dimensions without an oracle", ("dimension", "why it is not scored"), rows, empty="none was declared"
            ),
        ),
    )


def _word(word: str) -> str:
    """Show an empty word of a command line as one."""
    return word if word and " " not in word else f"'{word}'"
