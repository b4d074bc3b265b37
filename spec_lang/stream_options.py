"""Options of the checks that read what an agent did and said, and what it left alone, each with its JSON Schema."""

from collections.abc import Mapping

from spec_lang.option_schemas import WORD, Kind, Schema, list_of, map_of, one_of, text, whole

_PATTERN: Schema = {"type": "string", "minLength": 1, "x-pattern": True}
_FAMILIES = ("read", "edit", "shell", "search", "mcp", "other")

_SCRIPTS = "py|pyi|ts|tsx|mts|cts|js|jsx|mjs|cjs"

_SEEN: Schema = {
    "type": "object",
    "x-idle": "seen",
    "additionalProperties": False,
    "oneOf": [{"required": ["call"]}, {"required": ["says"]}, {"required": ["harness"]}],
    "dependentRequired": {
        **{key: ["call"] for key in ("tool", "args", "path", "matches", "ranged", "failed")},
        "unless": ["says"],
    },
    "properties": {
        "call": one_of("a call of a tool of this family that was not refused", *_FAMILIES, "any"),
        "tool": text("name of the tool, or a glob: `mcp__shop__*`"),
        "args": {"type": "object", "description": "all its arguments, and no others"},
        "path": text("glob of the file that it names, seen from the workspace"),
        "matches": {**_PATTERN, "description": "pattern in what it was given: `pytest|unittest`"},
        "ranged": {"type": "boolean", "description": "whether it asks for a part of a file only"},
        "failed": {
            "type": "boolean",
            "description": "whether its result was an error; a call without a result is neither",
        },
        "says": {
            **_PATTERN,
            "description": "pattern in a sentence of a message or of the answer; capitals are no difference",
        },
        "unless": {**_PATTERN, "description": "pattern of a sentence that does not count: `not|n't|whether`"},
        "harness": one_of("what the harness did to it", "told", "new_run", "cancelled", "refused"),
    },
}
_RULE: Schema = {
    "type": "object",
    "x-idle": "rule",
    "additionalProperties": False,
    "required": ["rule"],
    "oneOf": [{"required": [key]} for key in ("never", "some", "order", "only", "claim")],
    "dependentRequired": {
        "only": ["among"],
        "among": ["only"],
        "claim": ["backed_by"],
        "backed_by": ["claim"],
        "least": ["some"],
        "most": ["some"],
    },
    "properties": {
        "rule": {
            "type": "string",
            "pattern": "^[a-z][a-z0-9_]*$",
            "description": "its name: a result says which rule was broken",
        },
        "never": {**_SEEN, "description": "must not happen"},
        "some": {**_SEEN, "description": "must happen, `least` (1 unless given) to `most` times"},
        "least": whole("how often at least", 0),
        "most": whole("how often at most", 0),
        "order": list_of(
            "each must happen, for the first time behind the first time of the one before", _SEEN, least=2
        ),
        "only": list_of("of what `among` names, nothing else may happen", _SEEN, least=1),
        "among": {**_SEEN, "description": "what `only` speaks of"},
        "claim": {**_SEEN, "description": "what may be said only behind what `backed_by` names"},
        "backed_by": {**_SEEN, "description": "what must have happened, to its end, before it is claimed"},
        "after": {
            **_SEEN,
            "description": "the rule is about what follows the first of these; about nothing where there is none",
        },
        "until": {**_SEEN, "description": "and about nothing from the next of these on"},
    },
}

TRACE = Kind(
    doc="Rules over what the agent did and said, in order; unknown where its work is not seen.",
    options={"rules": {**list_of("all of them must hold", _RULE, least=1), "x-distinct": "rule"}},
    required=("rules",),
)

UNCHANGED = Kind(
    doc="Nothing changed but what may: files byte for byte, and in files that may change, all functions but those named.",
    options={
        "files": list_of("globs of files that may change in any way", WORD, least=1),
        "new_files": list_of("globs of files that may be added", WORD, least=1),
        "functions": {
            **map_of(
                "file → its functions that may change (`names`, `Shop.price`); Python, TypeScript and JavaScript",
                list_of("names of functions, methods with their class", WORD),
            ),
            "minProperties": 1,
            "propertyNames": {
                "pattern": rf"^(?!/)(?!(.*/)?\.\.?/)[^*?\[\]\\]+\.({_SCRIPTS})$",
                "description": "one file, seen from the workspace, of a language that can be taken apart: `src/shop.py`",
            },
        },
        "new_functions": {
            "type": "boolean",
            "x-idle": "functions",
            "description": "whether functions may be added to those files; false unless given",
        },
        "module_code": {
            **one_of("whether the code outside of functions may change; `same` unless given", "same", "any"),
            "x-idle": "functions",
        },
    },
)

QUOTES = Kind(
    doc="What the answer quotes (fenced blocks and lines behind `>`) stands line by line in a file; nothing is invented.",
    options={
        "path": {
            **text("the file that is quoted, seen from the workspace"),
            "pattern": r"^(?!/)(?!(.*/)?\.\.?/)[^*?]+$",
        },
        "lines": {
            "type": "array",
            "x-idle": "lines",
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "integer", "minimum": 1},
            "description": "first and last line that must all be quoted, and no others",
        },
    },
    required=("path",),
)

STREAM: Mapping[str, Kind] = {"trace": TRACE, "unchanged": UNCHANGED, "quotes": QUOTES}
"""The kinds by name."""
