"""The options of kinds that hand a treatment over, or say how a model is reached: JSON Schemas, put into the catalogue of kinds."""

from collections.abc import Mapping

Options = Mapping[str, Mapping[str, object]]

_WORD: Mapping[str, object] = {"type": "string", "minLength": 1}
_VARIABLE: Mapping[str, object] = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
_DEEP = 3


def _words(doc: str, items: Mapping[str, object] = _WORD) -> Mapping[str, object]:
    return {"type": "array", "items": items, "minItems": 1, "description": doc}


def _setting(depth: int) -> Mapping[str, object]:
    """Write the schema of a setting: JSON without fractions, which plans hold as text and no agent would read as numbers."""
    if depth == 0:
        return {
            "type": ["string", "integer", "boolean", "null"],
            "description": "text, a whole number, true, false or null",
        }
    inner = _setting(depth - 1)
    return {
        "type": ["string", "integer", "boolean", "null", "array", "object"],
        "items": inner,
        "additionalProperties": inner,
        "description": "text, a whole number, true, false, null, or lists and maps of them",
    }


_SERVER: Mapping[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "description": "a server: a program (`run`) or an address (`url`)",
    "oneOf": [{"required": ["run"]}, {"required": ["url"]}],
    "properties": {
        "run": _words("the program and its arguments, one item each; `{files}` is filled in, no shell reads them"),
        "url": {"type": "string", "pattern": "^https?://[^\\s]+$", "description": "where it is (streamable HTTP)"},
        "env": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "environment variables of the program; no secrets",
        },
        "pass_env": _words("names of the host's variables that the program is given: its secrets", _VARIABLE),
        "bearer": {**_VARIABLE, "description": "name of the host's variable that holds the token of the address"},
        "tools": _words("tools that it must bring; an attempt that does not see them is no attempt"),
        "brings": _words("other words by which an agent's requests show that it has the server"),
    },
}

MCP: Options = {
    "servers": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9_-]*$"},
        "additionalProperties": _SERVER,
        "description": "name → server; a run asserts that these and no others were connected",
    },
    "files": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"},
        "additionalProperties": {**_WORD, "description": "a file, seen from the spec"},
        "description": "name → file; they stand in the folder `{files}` of the servers' programs",
    },
}

SETTINGS: Options = {
    "name": {**_WORD, "description": "what reports call the variant"},
    "settings": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": _setting(_DEEP),
        "description": "laid over the agent's own settings, key by key",
    },
}

API: Options = {
    "base_url": {"type": "string", "pattern": "^https?://[^\\s]+$", "description": "where requests go"},
    "header": {**_WORD, "description": "header of the key; `authorization`, as a bearer token, unless given"},
}
"""Beside the names of variables: what a program of any kind must say so that the harness's proxy can reach its model."""
