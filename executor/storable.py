"""What foreign programs say, as text that any document can hold."""

from collections.abc import Mapping

from ledger.plain import Plain


def storable_text(text: str) -> str:
    """Give text that is UTF-8: a lone surrogate, which JSON can spell but no document can hold, is written out as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def storable(value: Plain) -> Plain:
    """Do the same with every text of a value, keys included."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list | tuple):
        return [storable(each) for each in value]
    if isinstance(value, Mapping):
        return {storable_text(name): storable(each) for name, each in value.items()}
    return value
