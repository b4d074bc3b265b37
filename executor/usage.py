"""Reads from a model's answer what it used: the wire forms of the common services, whole and streamed."""

import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Usage: TypeAlias = Mapping[str, int]
"""``input_tokens`` (that no cache held), ``output_tokens``, ``cache_read``, ``cache_write``."""


def usage_of(response: bytes, *, streamed: bool) -> Usage | None:
    """Give what an answer says it used; None when it does not say. Of a stream, the last word on each number counts."""
    found: dict[str, object] = {}
    for document in _documents(response, streamed=streamed):
        for place in _places(document):
            found |= {name: value for name, value in place.items() if value is not None}
    return _read(found) if found else None


def _documents(response: bytes, *, streamed: bool) -> Iterator[Mapping[str, object]]:
    texts = [response]
    if streamed:
        texts = [line[5:] for line in response.splitlines() if line.startswith(b"data:")]
    for text in texts:
        try:
            document = json.loads(text)
        except ValueError:
            continue  # ``[DONE]``, or an event that was cut
        for each in document if isinstance(document, list) else [document]:
            if isinstance(each, dict):
                yield each


def _places(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Give the objects that hold usage: at the top, in a message that starts, in a response that is complete."""
    for holder in (document, document.get("message"), document.get("response")):
        if isinstance(holder, Mapping):
            for name in ("usage", "usageMetadata"):
                place = holder.get(name)
                if isinstance(place, Mapping):
                    yield place


def _read(found: Mapping[str, object]) -> Usage | None:
    if "promptTokenCount" in found:  # generateContent; thoughts are written, and counted apart
        read, cached = _whole(found, "promptTokenCount"), _whole(found, "cachedContentTokenCount")
        written = _whole(found, "candidatesTokenCount") + _whole(found, "thoughtsTokenCount")
        return _usage(read - cached, written, cached, 0)
    if "prompt_tokens" in found:  # chat/completions: cached tokens are part of the prompt's
        cached = _inner(found, "prompt_tokens_details", "cached_tokens")
        return _usage(_whole(found, "prompt_tokens") - cached, _whole(found, "completion_tokens"), cached, 0)
    if "input_tokens" not in found:
        return None
    read, written = _whole(found, "input_tokens"), _whole(found, "output_tokens")
    if "input_tokens_details" in found:  # responses: as above
        cached = _inner(found, "input_tokens_details", "cached_tokens")
        return _usage(read - cached, written, cached, 0)
    return _usage(read, written, _whole(found, "cache_read_input_tokens"), _whole(found, "cache_creation_input_tokens"))


def _usage(read: int, written: int, cache_read: int, cache_write: int) -> Usage:
    return {"input_tokens": read, "output_tokens": written, "cache_read": cache_read, "cache_write": cache_write}


def _whole(found: Mapping[str, object], name: str) -> int:
    value = found.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _inner(found: Mapping[str, object], name: str, inner: str) -> int:
    place = found.get(name)
    return _whole(place, inner) if isinstance(place, Mapping) else 0
