"""Plain scalars of YAML: the few that mean a number or a truth value, and the many that two readers would read differently."""

import re
from collections.abc import Mapping
from decimal import Decimal

CODES: Mapping[str, str] = {
    "P130": "a value is missing, or null is written",
    "P131": "a truth value is not written true or false, or a word that some YAML readers take for one",
    "P132": "a number is octal, hexadecimal, binary or has a leading zero",
    "P133": "a number has an underscore",
    "P134": "a number has an exponent",
    "P135": "a number has a sign or point that is refused (+1, .5, 1.)",
    "P136": "a number is not finite",
    "P137": "a decimal ends in zero",
    "P138": "a number has too many digits",
    "P139": "zero is negative",
    "P140": "a value looks like a date or a time",
    "P141": "a value that YAML itself gives a meaning (`=`, `<<`)",
}

LARGEST_INTEGER = 2**53 - 1
MOST_DIGITS = 15

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+\Z")

_QUOTE = "put it in quotes if it is text"

_TIME_OF_DAY = r"(?:(?:[Tt]| +)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?: *(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)"

_REFUSED: tuple[tuple[str, re.Pattern[str], str, str], ...] = tuple(
    (code, re.compile(pattern), summary, hint)
    for code, pattern, summary, hint in (
        (
            "P130",
            r"(?:~|null|Null|NULL)?",
            "a value is missing; null is never a value",
            "give a value, or leave the key out",
        ),
        ("P131", r"True|TRUE", "`true` is written in small letters", f"write `true`, or {_QUOTE}"),
        ("P131", r"False|FALSE", "`false` is written in small letters", f"write `false`, or {_QUOTE}"),
        (
            "P131",
            r"y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF",
            "some YAML readers take this word for true or false",
            f"write `true` or `false`, or {_QUOTE}",
        ),
        ("P139", r"-0(?:\.0+)?", "zero has no sign", "write `0`"),
        ("P136", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "not a finite number", _QUOTE),
        ("P132", r"[-+]?(?:0[0-9_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)", "readers disagree on this number", _QUOTE),
        ("P132", r"[-+]?0[0-9_]+\.[0-9_]*", "a number with a leading zero", f"write it without, or {_QUOTE}"),
        (
            "P140",
            r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?",
            "some YAML readers take this for a number of base 60",
            _QUOTE,
        ),
        (
            "P134",
            r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]+)[eE][-+]?[0-9]+",
            "a number with an exponent",
            f"write it out, or {_QUOTE}",
        ),
        (
            "P133",
            r"[-+]?(?=[0-9.]*_)[0-9_]*\.?[0-9_]*",
            "a number with an underscore",
            f"write its digits only, or {_QUOTE}",
        ),
        (
            "P135",
            r"\+[0-9]+(?:\.[0-9]*)?|[-+]?\.[0-9][0-9_]*|[-+]?[0-9]+\.",
            "a number with a sign or point that is refused",
            f"write `1`, `0.5`, `-1`, or {_QUOTE}",
        ),
        (
            "P140",
            r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}" + _TIME_OF_DAY + "?",
            "some YAML readers take this for a date",
            'put it in quotes: "2026-07-01"; in an expression write date("2026-07-01")',
        ),
        ("P141", r"=|<<", "YAML gives this a meaning of its own", _QUOTE),
    )
)


class ScalarError(ValueError):
    """A plain scalar is refused: its code, what is wrong, what to do."""

    def __init__(self, code: str, summary: str, hint: str) -> None:
        super().__init__(summary)
        self.code, self.summary, self.hint = code, summary, hint


def resolve(text: str) -> bool | int | Decimal | str:
    """Give the value of a plain scalar. Raises ScalarError where readers of YAML 1.1 and 1.2 could differ, or digits would be lost."""
    if text in ("true", "false"):
        return text == "true"
    for code, pattern, summary, hint in _REFUSED:
        if pattern.fullmatch(text):
            shown = f"`{text}`: " if text else ""
            raise ScalarError(code, shown + summary, hint)
    if _INTEGER.match(text):
        if abs(int(text)) > LARGEST_INTEGER:
            raise ScalarError("P138", f"`{text}` is beyond 2^53 - 1, where readers lose digits", _QUOTE)
        return int(text)
    if _DECIMAL.match(text):
        if text.endswith("0"):
            raise ScalarError(
                "P137", f"`{text}`: a decimal that ends in zero", f"drop the zero, or {_QUOTE} (a version is)"
            )
        if len(text.lstrip("-0.").replace(".", "")) > MOST_DIGITS:
            raise ScalarError("P138", f"`{text}` has more than {MOST_DIGITS} digits, which readers lose", _QUOTE)
        return Decimal(text)
    return text
