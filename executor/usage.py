"""Reads from a model's answer what it used: the wire forms of the common services, whole and streamed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

Usage: TypeAlias = Mapping[str, int]
"""``input_tokens`` (that no cache held), ``output_tokens``, ``cache_read``, ``cache_write``."""


_DETAILS, _CACHED = "prompt_tokens_details", "prompt_cache_hit_tokens"
"""Where an answer of ``chat/completions`` says what came from a cache: either, or neither."""
_COUNTS = (
    *("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens"),
    *("cache_read_input_tokens", "cache_creation_input_tokens", "ephemeral_1h_input_tokens", "cached_tokens", _CACHED),
    *(
        "promptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
    ),
)
"""Names under which answers count tokens. One that stands there and is no count makes all of it unknown: it is never read as 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bill:
    """What one answer of a model says of what it used.

    ``asked`` and ``answered`` are the model by the request and by the answer. ``usage`` is None when the answer does not say, or was
    cut. ``cache_write_1h`` is the part of what was written to a cache that is kept for an hour, where the service says so.
    ``cost`` is the service's own word on it in USD, where it has one. ``split``: whether the answer says what of it came from a
    cache; where it does not, everything read stands under ``input_tokens``.
    """

    asked: str | None
    answered: str | None
    usage: Usage | None
    cache_write_1h: int = 0
    cost: Decimal | None = None
    split: bool = True


def bill_of(response: bytes, *, streamed: bool, asked: str | None) -> Bill:
    """Read an answer. Of a stream, the last word on each number counts; one that ended before its last word does not say."""
    documents = list(_documents(response, streamed=streamed))
    found: dict[str, object] = {}
    for document in documents:
        for place in _places(document):
            found |= {name: value for name, value in place.items() if value is not None}
    usage = _read(found) if found and not (streamed and _cut_short(documents)) else None
    return Bill(
        asked=asked,
        answered=next((model for each in documents if (model := _model(each)) is not None), None),
        usage=usage,
        cache_write_1h=_inner(found, "cache_creation", "ephemeral_1h_input_tokens"),
        cost=None if usage is None else _money(found.get("cost")),
        split="prompt_tokens" not in found or _CACHED in found or isinstance(found.get(_DETAILS), Mapping),
    )


def _documents(response: bytes, *, streamed: bool) -> Iterator[Mapping[str, object]]:
    texts = [response]
    if streamed:
        texts = [line[5:] for line in response.splitlines() if line.startswith(b"data:")]
    for text in texts:
        try:
            document = json.loads(text, parse_float=Decimal)
        except (ValueError, RecursionError):
            continue  # ``[DONE]``, or an event that was cut
        for each in document if isinstance(document, list) else [document]:
            if isinstance(each, dict):
                yield each


def _holders(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Give the objects that say things of an answer: the top, a message that starts, a response that is complete."""
    for holder in (document, document.get("message"), document.get("response")):
        if isinstance(holder, Mapping):
            yield holder


def _places(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for holder in _holders(document):
        for name in ("usage", "usageMetadata"):
            place = holder.get(name)
            if isinstance(place, Mapping):
                yield place


def _model(document: Mapping[str, object]) -> str | None:
    for holder in _holders(document):
        for name in ("model", "modelVersion"):
            if isinstance(said := holder.get(name), str) and said:
                return said
    return None


def _cut_short(documents: Sequence[Mapping[str, object]]) -> bool:
    """Say whether a stream tells its usage from the beginning, and ended before it told the rest.

    A message that starts counts one token written until its delta tells how many it was; generateContent counts along until it gives
    a reason for finishing. The other forms say nothing until they are complete.
    """
    if any(each.get("type") == "message_start" for each in documents):
        return not any(each.get("type") == "message_delta" and "usage" in each for each in documents)
    if any("usageMetadata" in each for each in documents):
        return not any(_finished(each) for each in documents)
    return False


def _finished(document: Mapping[str, object]) -> bool:
    candidates = document.get("candidates")
    of_all = candidates if isinstance(candidates, list) else []
    return "promptFeedback" in document or any(isinstance(each, dict) and each.get("finishReason") for each in of_all)


def _read(found: Mapping[str, object]) -> Usage | None:
    if not all(map(_counted, (found, *(each for each in found.values() if isinstance(each, Mapping))))):
        return None
    if (
        "promptTokenCount" in found
    ):  # generateContent; thoughts are written, and counted apart; what tools brought is read
        read, cached = _whole(found, "promptTokenCount"), _whole(found, "cachedContentTokenCount")
        written = _whole(found, "candidatesTokenCount") + _whole(found, "thoughtsTokenCount")
        return _usage(read - cached + _whole(found, "toolUsePromptTokenCount"), written, cached, 0)
    if "prompt_tokens" in found:  # chat/completions: cached tokens are part of the prompt's
        cached = _inner(found, _DETAILS, "cached_tokens") or _whole(found, _CACHED)
        read = _whole(found, "prompt_tokens")
        # Some services count what a model thinks in the total alone; what is in no sum but that was written all the same.
        written = max(_whole(found, "completion_tokens"), _whole(found, "total_tokens") - read)
        told = "completion_tokens" in found or "total_tokens" in found
        return _usage(read - cached, written, cached, 0) if told else None
    if "input_tokens" not in found or "output_tokens" not in found:
        return None
    read, written = _whole(found, "input_tokens"), _whole(found, "output_tokens")
    if "input_tokens_details" in found:  # responses: as above
        cached = _inner(found, "input_tokens_details", "cached_tokens")
        return _usage(read - cached, written, cached, 0)
    return _usage(read, written, _whole(found, "cache_read_input_tokens"), _whole(found, "cache_creation_input_tokens"))


def _usage(read: int, written: int, cache_read: int, cache_write: int) -> Usage | None:
    used = {"input_tokens": read, "output_tokens": written, "cache_read": cache_read, "cache_write": cache_write}
    return None if min(used.values()) < 0 else used


def _counted(place: Mapping[str, object]) -> bool:
    """Say whether everything that counts tokens in a place is a count, or is not told at all."""
    said = (value for name, value in place.items() if name in _COUNTS and value is not None)
    return all(isinstance(value, int) and not isinstance(value, bool) and value >= 0 for value in said)


def _whole(found: Mapping[str, object], name: str) -> int:
    value = found.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _inner(found: Mapping[str, object], name: str, inner: str) -> int:
    place = found.get(name)
    return _whole(place, inner) if isinstance(place, Mapping) else 0


def _money(said: object) -> Decimal | None:
    """Read ``usage.cost``, in which some services state what an answer cost, in USD."""
    if isinstance(said, bool) or not isinstance(said, int | Decimal):
        return None
    cost = Decimal(said)
    return cost if cost.is_finite() and cost >= 0 else None
