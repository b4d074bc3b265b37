"""What a spec means, as one canonical document: the same meaning has the same bytes, whatever its comments and layout."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal

from ledger.canonical import canonical, digest
from ledger.codec import decimal_text
from ledger.plain import Plain
from spec_lang.expr.ast import Expression
from spec_lang.model import Spec
from spec_lang.quantity import Quantity
from spec_lang.text import source_of
from spec_lang.yaml_tree import plain, read_tree

SPEC_TYPE = "prereg.spec/v1"
CANON = "1"

_YAML = (".yaml", ".yml")


def spec_document(spec: Spec, inputs: Mapping[str, bytes]) -> bytes:
    """Give the bytes of ``spec.json``, which ``spec_digest`` is the digest of: the spec and what its inputs mean.

    ``inputs``: file name as written in the spec → bytes, and the pool's.

    Raises:
        SpecErrors: A YAML input is faulty.
    """
    meant: Plain = {name: input_digest(name, inputs[name]) for name in sorted(inputs)}
    return canonical({"type": SPEC_TYPE, "canon": CANON, "spec": spec_plain(spec), "inputs": meant})


def spec_plain(spec: Spec) -> Plain:
    """Write a spec as plain data: every key, also those left out (null or their default); nothing of where it stood.

    An expression is its canonical text, a quantity its number and unit (``20 min``), a decimal its normal string.
    Maps carry no order, since the canonical form sorts them; lists keep theirs.
    """
    return meaning(spec)


def meaning(value: object) -> Plain:
    """Write any part of a spec, or of a YAML file that it names, as plain data (see ``spec_plain``).

    Raises:
        TypeError: A value that no spec holds.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, Quantity):
        return f"{decimal_text(value.number)} {value.unit.name}"
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, Mapping):
        return {str(key): meaning(value[key]) for key in value}
    if isinstance(value, Sequence):
        return [meaning(each) for each in value]
    if is_dataclass(value):
        return {each.name.rstrip("_"): meaning(getattr(value, each.name)) for each in fields(value)}
    raise TypeError(f"a spec does not hold a {type(value).__name__}")


def input_digest(name: str, data: bytes) -> str:
    """Give the digest of what an input means: of its content for YAML, so that comments and layout do not count.

    Any other file is its bytes.

    Raises:
        SpecErrors: The YAML is faulty.
    """
    if not name.endswith(_YAML):
        return digest(data)
    return digest(canonical(meaning(plain(read_tree(source_of(data, name))))))
