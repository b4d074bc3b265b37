"""Diagnostics on the screen: the caret stands where the fault is, whatever the line holds."""

from spec_lang.diagnostics import Diagnostic, render
from spec_lang.span import Position, Source, Span


def shown(text: str, start: int, end: int, line: int = 1) -> list[str]:
    span = Span(
        source=Source(name="x", text=text), start=Position(line=line, column=start), end=Position(line=line, column=end)
    )
    return render(Diagnostic(code="P999", summary="s", span=span)).split("\n")[2:]


def test_plain() -> None:
    assert shown("abc def", 5, 8) == ["  1 | abc def", "    |     ~~^"]


def test_wide_and_combining_characters() -> None:
    assert shown("日本 x", 4, 5) == ["  1 | 日本 x", "    |      ^"]
    assert shown("e\u0301x", 3, 4) == ["  1 | e\u0301x", "    |  ^"]


def test_what_cannot_be_seen_is_a_dot() -> None:
    assert shown("a\u202eb\tc", 2, 3) == ["  1 | a·b·c", "    |  ^"]


def test_a_long_line_is_cut_around_the_fault() -> None:
    text, caret = shown("x" * 500 + "FAULT" + "y" * 500, 501, 506)
    assert len(text) < 180
    start = caret.index("~")
    assert text[start : start + 5] == "FAULT"


def test_an_end_on_another_line_reaches_the_end_of_the_first() -> None:
    span = Span(
        source=Source(name="x", text="ab cd\nef"), start=Position(line=1, column=4), end=Position(line=2, column=2)
    )
    assert render(Diagnostic(code="P999", summary="s", span=span)).endswith("  1 | ab cd\n    |    ~^")
