"""What a suite is told of a plugin: a YAML file with options as a spec writes them, held against the plugin's own schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from compiler.settings import plain
from ledger.plain import Plain
from prereg import plugins
from spec_lang.build import read_leaves, settings_at
from spec_lang.diagnostics import Bag
from spec_lang.kinds import KINDS
from spec_lang.option_schemas import Kind
from spec_lang.schema import judge, spec_schema
from spec_lang.text import source_of
from spec_lang.yaml_tree import plain as plainest
from spec_lang.yaml_tree import read_tree

Asked = Literal["provider", "agent", "sandbox"]

SLOTS: Mapping[Asked, plugins.Slot] = {"provider": "providers", "agent": "agents", "sandbox": "sandboxes"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A plugin and how the suite is to call it.

    ``options`` as a plan holds them. Of a provider: ``inputs`` are the author's files that options name, ``fixture`` a task's shared
    context, ``broken`` options with which it must fail and say how; ``timeless`` is false where what it builds differs in bytes from time
    to time (an index, an installation): then only names are compared. Of an agent: ``offline`` says that it can be run here, on a
    workspace of one file; one that needs a service or a reference is only looked at.
    """

    plugin: type[Any]
    options: Mapping[str, Plain] = field(default_factory=dict)
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    fixture: bytes | None = None
    broken: Sequence[Mapping[str, Plain]] = ()
    timeless: bool = True
    offline: bool = False
    model: str | None = None
    flags: tuple[str, ...] = ()


def read_case(asked: Asked, kind: str, file: Path | None) -> Case:
    """Read what the suite is told of an installed plugin; without a file it has no options.

    Raises:
        WorldFault: No such plugin is installed, it cannot be loaded, or a file that is named cannot be read.
        SpecErrors: The file is not what the plugin's own schema says, each fault at its place.
    """
    plugin = type(plugins.load(SLOTS[asked], kind))
    if file is None:
        return Case(plugin=plugin)
    source = source_of(file.read_bytes(), str(file))
    tree = read_tree(source)
    shape = judge(tree, _schema(asked, kind))
    bag = Bag()
    bag.extend(shape.faults)
    leaves = read_leaves(tree, shape, bag)
    bag.raise_errors()
    said: Any = plainest(tree)
    options = settings_at(tree, leaves, "options") if "options" in said else {}
    fixture = said.get("fixture")
    return Case(
        plugin=plugin,
        options={key: plain(options[key]) for key in sorted(options)},
        inputs={name: (file.parent / path).read_bytes() for name, path in said.get("inputs", {}).items()},
        fixture=None if fixture is None else (file.parent / fixture).read_bytes(),
        broken=tuple(said.get("broken", ())),
        timeless=said.get("timeless", True),
        offline=said.get("offline", False),
        model=said.get("model"),
        flags=tuple(said.get("flags", ())),
    )


def _schema(asked: Asked, kind: str) -> dict[str, Any]:
    known = {**KINDS[asked], **plugins.described_kinds(kind).get(asked, {})}.get(kind, Kind(doc=""))
    options = {
        "type": "object",
        "additionalProperties": False,
        "properties": dict(known.options),
        "required": list(known.required),
    }
    text, texts = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
    of: dict[Asked, dict[str, Any]] = {
        "provider": {
            "inputs": texts,
            "fixture": text,
            "broken": {"type": "array", "items": {"type": "object"}},
            "timeless": {"type": "boolean"},
        },
        "agent": {"model": text, "flags": {"type": "array", "items": text}, "offline": {"type": "boolean"}},
        "sandbox": {},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["options"] if known.required else [],
        "properties": {"options": options, **of[asked]},
        "$defs": spec_schema()["$defs"],
    }
