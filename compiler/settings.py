"""An author's free settings as the plain data that plans hold: integers, text, decimal strings, no floats."""

from collections.abc import Mapping
from decimal import Decimal

from compiler.plan import Chosen
from ledger.codec import decimal_text
from ledger.plain import Plain
from spec_lang.model import Choice, Settings


def plain(value: object) -> Plain:
    """Give a setting as plain data; a decimal becomes its shortest decimal string (``0.50`` is ``"0.5"``).

    Raises TypeError for what no YAML file of ours can hold: a float, a date, a non-text key.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(value[key]) for key in sorted(value, key=_key)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    raise TypeError(f"a setting cannot be a {type(value).__name__}")


def plain_settings(settings: Settings) -> dict[str, Plain]:
    """Give settings as plain data, keys sorted."""
    return {key: plain(settings[key]) for key in sorted(settings)}


def chosen(choice: Choice) -> Chosen:
    """Give a plugin choice as a plan holds it."""
    return Chosen(kind=choice.kind, options=plain_settings(choice.options))


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a setting's key cannot be a {type(key).__name__}")
    return key
