"""Strict YAML: a source becomes a tree whose every part knows where it stands; what two readers could read differently is refused.

The subset: maps with text keys, lists, and scalars that are text, integers, decimals or ``true``/``false``. No anchors, aliases,
tags, directives, merge keys, second documents, nulls or ambiguous plain scalars. At most 32 deep and 50 000 events.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.scalars import ScalarError, resolve
from spec_lang.span import Position, Source, Span
from spec_lang.text import saying, strange
from spec_lang.yaml_faults import explain

CODES: Mapping[str, str] = {
    "P110": "a file is not YAML",
    "P111": "a YAML directive (`%YAML`, `%TAG`)",
    "P112": "a second YAML document",
    "P113": "an anchor, alias or merge key",
    "P114": "a YAML tag",
    "P115": "a key stands twice in a map",
    "P116": "two keys of a map look alike",
    "P117": "a key is not text",
    "P118": "a file is nested too deeply or has too many parts",
    "P119": "a file is empty",
}

DEEPEST, MOST_EVENTS = 32, 50_000

Plainest: TypeAlias = "bool | int | Decimal | str | list[Plainest] | dict[str, Plainest]"
"""What a tree holds when its places are forgotten."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scalar:
    """A value. ``style`` is how it was written: ``plain``, ``'``, ``"``, ``|`` or ``>``; ``raw`` are its characters in the source."""

    value: bool | int | Decimal | str
    text: str
    span: Span
    style: str
    raw: tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sequence:
    """A list."""

    items: tuple["Node", ...]
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class MapNode:
    """A map; entries in the order of the text, keys all different."""

    entries: tuple[tuple[Scalar, "Node"], ...]
    span: Span

    def get(self, key: str) -> "Node | None":
        """Give the value under a key."""
        return next((value for name, value in self.entries if name.value == key), None)

    def key(self, key: str) -> Scalar | None:
        """Give a key itself."""
        return next((name for name, _ in self.entries if name.value == key), None)


Node: TypeAlias = Scalar | Sequence | MapNode


def read_tree(source: Source) -> Node:
    """Read a source as strict YAML. Raises SpecErrors with every fault that was found."""
    reader = _Reader(source)
    tree = reader.read()
    reader.bag.raise_errors()
    if tree is None:
        hint = "an empty list is written [], an empty map {}"
        raise SpecErrors([Diagnostic(code="P119", summary=f"{source.name} is empty", hint=hint)])
    return tree


def plain(node: Node) -> Plainest:
    """Forget where everything stands."""
    match node:
        case Scalar(value=value):
            return value
        case Sequence(items=items):
            return [plain(each) for each in items]
        case MapNode(entries=entries):
            return {str(key.value): plain(value) for key, value in entries}


class _Reader:
    """One source on its way to a tree. Parser events are looked at one by one; nothing is constructed by the library."""

    def __init__(self, source: Source) -> None:
        self.source, self.bag = source, Bag()
        self.depth = 0
        self.behind: Span | None = None
        """The key whose value comes next."""

    def read(self) -> Node | None:
        """Build the tree; None when there is none or a fault stopped the reading."""
        tree: Node | None = None
        events = self.events()
        for event in events:
            if isinstance(event, NodeEvent):
                tree = self.node(event, events)
        return tree

    def events(self) -> Iterator[Event]:
        """Give the parser's events; a fault of syntax ends them, and so does a bomb."""
        # A new parser for each source: a `%YAML` directive would stick to a used one.
        parser = YAML(typ="safe", pure=True)
        documents = 0
        try:
            for number, event in enumerate(parser.parse(self.source.text)):
                if number > MOST_EVENTS:
                    self.fault("P118", f"more than {MOST_EVENTS} parts", event, "split the file")
                    raise SpecErrors(self.bag.diagnostics)
                if isinstance(event, DocumentStartEvent):
                    documents += 1
                    self.document(event, documents)
                yield event
        except MarkedYAMLError as fault:
            self.bag.add(explain(self.source, fault))
            raise SpecErrors(self.bag.diagnostics) from None
        except YAMLError as fault:
            self.bag.add(Diagnostic(code="P110", summary=f"not YAML: {str(fault).splitlines()[0]}"))
            raise SpecErrors(self.bag.diagnostics) from None

    def document(self, event: DocumentStartEvent, documents: int) -> None:
        if event.version or event.tags:
            self.fault("P111", "a YAML directive", event, "take the line out: this language has one dialect")
        if documents > 1:
            self.fault("P112", "a second document", event, "one file holds one document: take the `---` out")
            raise SpecErrors(self.bag.diagnostics)

    def fault(self, code: str, summary: str, at: Event | Span, hint: str | None = None) -> None:
        span = at if isinstance(at, Span) else self.span(at)
        self.bag.add(Diagnostic(code=code, summary=summary, span=span, hint=hint))

    def span(self, first: Event, last: Event | None = None) -> Span:
        start, end = first.start_mark, (last or first).end_mark
        return Span(source=self.source, start=_position(start), end=_position(end))

    def node(self, event: NodeEvent, events: Iterator[Event]) -> Node:
        self.refuse_properties(event)
        match event:
            case ScalarEvent():
                return self.scalar(event)
            case SequenceStartEvent():
                return self.sequence(event, events)
            case MappingStartEvent():
                return self.mapping(event, events)
            case _:
                return self.stand_in(event)

    def refuse_properties(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent):
            self.fault(
                "P113",
                f"an alias: `*{event.anchor}`",
                event,
                "write the value out; text that starts with `*` goes in quotes",
            )
        elif event.anchor is not None:
            self.fault("P113", f"an anchor: `&{event.anchor}`", event, "write values out where they are used")
        if (tag := getattr(event, "ctag", None)) is not None:
            self.fault("P114", f"a tag: `{tag}`", event, "take it out; text that starts with `!` goes in quotes")

    def stand_in(self, event: Event) -> Scalar:
        """Give something to go on with after a fault."""
        return Scalar(value="", text="", span=self.span(event), style="plain", raw=(0, 0))

    def scalar(self, event: ScalarEvent) -> Scalar:
        value: bool | int | Decimal | str = event.value
        style = event.style or "plain"
        span = self.span(event)
        if self.behind is not None and span.start == span.end:
            # The parser puts a missing value where the next thing stands.
            end = self.behind.end
            span = Span(source=self.source, start=end, end=Position(line=end.line, column=end.column + 1))
        self.behind = None
        if style == "plain":
            try:
                value = resolve(event.value)
            except ScalarError as refused:
                self.fault(refused.code, refused.summary, span, refused.hint)
        elif (found := strange(event.value)) is not None:
            what, advice = saying(found[0], event.value, found[1])
            self.fault(found[0], f"{what}, written as an escape", span, advice)
        raw = (event.start_mark.index, event.end_mark.index)
        return Scalar(value=value, text=event.value, span=span, style=style, raw=raw)

    def deeper(self, event: Event) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fault("P118", f"nested deeper than {DEEPEST}", event, "a specification is never that deep")
            raise SpecErrors(self.bag.diagnostics)

    def sequence(self, event: SequenceStartEvent, events: Iterator[Event]) -> Sequence:
        self.deeper(event)
        self.behind = None
        items: list[Node] = []
        for each in events:
            if isinstance(each, SequenceEndEvent):
                self.depth -= 1
                return Sequence(items=tuple(items), span=self.span(event, each if event.flow_style else None))
            assert isinstance(each, NodeEvent)
            items.append(self.node(each, events))
        raise AssertionError("the parser closes what it opens")

    def mapping(self, event: MappingStartEvent, events: Iterator[Event]) -> MapNode:
        self.deeper(event)
        self.behind = None
        entries: dict[str, tuple[Scalar, Node]] = {}
        looks: dict[str, list[str]] = {}
        for each in events:
            if isinstance(each, MappingEndEvent):
                self.depth -= 1
                span = self.span(event, each if event.flow_style else None)
                return MapNode(entries=tuple(entries.values()), span=span)
            assert isinstance(each, NodeEvent)
            key = self.key(each, events)
            value_event = next(events)
            assert isinstance(value_event, NodeEvent)
            self.behind = key.span
            value = self.node(value_event, events)
            self.refuse_double(key, entries, looks)
            entries.setdefault(key.text, (key, value))
        raise AssertionError("the parser closes what it opens")

    def key(self, event: NodeEvent, events: Iterator[Event]) -> Scalar:
        if isinstance(event, ScalarEvent) and not event.style and event.value == "<<":
            self.fault("P113", "a merge key", event, "write values out where they are used")
            return self.stand_in(event)
        before = len(self.bag.diagnostics)
        key = self.node(event, events)
        if isinstance(key, Scalar) and isinstance(key.value, str) and "\n" not in key.value:
            return key
        if len(self.bag.diagnostics) == before:
            shown = f"`{key.text}`: a key" if isinstance(key, Scalar) else "a key"
            self.fault("P117", f"{shown} is not text", key.span, "keys are words; put it in quotes if it must be one")
        return self.stand_in(event)

    def refuse_double(
        self, key: Scalar, entries: Mapping[str, tuple[Scalar, Any]], looks: dict[str, list[str]]
    ) -> None:
        """Refuse a key that stands twice or looks like another; ``looks`` keeps the keys of this map by how they look."""
        if not key.text:
            return
        if key.text in entries:
            first = entries[key.text][0].span.start.line
            self.fault("P115", f"the key `{key.text}` stands twice", key.span, f"it stands in line {first} already")
            return
        alike = looks.setdefault(unicodedata.normalize("NFKC", key.text), [])
        for other in alike:
            what = f"the keys `{other}` and `{key.text}` look alike"
            self.fault("P116", what, key.span, f"the other stands in line {entries[other][0].span.start.line}")
        alike.append(key.text)


def _position(mark: Any) -> Position:
    return Position(line=mark.line + 1, column=mark.column + 1)
