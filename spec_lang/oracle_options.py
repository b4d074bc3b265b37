"""Options of the checks that count call sites and compare numbers, each with its JSON Schema."""

from collections.abc import Mapping

from spec_lang.option_schemas import WORD, Kind, Schema, amount, list_of, map_of, one_of, text, whole
from spec_lang.stream_options import STREAM

_API: Schema = {
    "type": "string",
    "pattern": "^[^:\\s]+:[A-Za-z_$][A-Za-z0-9_$]*$",
    "description": "`package.module:name` in Python, `src/module:name` in TypeScript: where it is defined",
}
_CODE: Schema = {
    "type": "string",
    "minLength": 1,
    "x-code": True,
    "description": "code with `$X` and `$$$` for any parts",
}
_APIS: Mapping[str, Schema] = {
    "of": list_of("what is counted: names are followed through imports, re-exports and aliases", _API),
    "patterns": list_of("code patterns that are counted beside: `$X.fetch($$$)`", _CODE),
}
_MEASURED: Schema = {
    "type": ["string", "integer", "number"],
    "x-measured": True,
    "description": "a number with its unit; `1` is the unit of a number without one",
}
_TOLERANCE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "oneOf": [{"required": ["absolute"]}, {"required": ["relative"]}, {"required": ["interval"]}],
    "description": "how far a number may lie off, fixed before anything runs",
    "properties": {
        "absolute": _MEASURED,
        "relative": {**_MEASURED, "x-measured": "%", "description": "share of what is expected: `1 %`"},
        "interval": {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": _MEASURED,
            "description": "both ends, as the publication gives them",
        },
        "source": text("where the tolerance is taken from"),
    },
}

CALL_SITES = Kind(
    doc="Counts the call sites of an API by syntax: of an old one none may be left, of a new one (`replaces`) none may be lacking.",
    options={
        "language": one_of("language of the files", "python", "typescript", "javascript"),
        **_APIS,
        "paths": list_of("globs of the files that are searched; all unless given", WORD, least=1),
        "most": whole("how many may be left; 0 unless given", 0),
        "replaces": {
            "type": "object",
            "additionalProperties": False,
            "required": ["of"],
            "properties": dict(_APIS),
            "description": "the old API: as many sites of the new one are needed as both had at the start",
        },
        "consolidations": text("JSON file in which the agent reports sites that it merged into one"),
        "needs": text("name of the check that must hold before a reported consolidation counts"),
    },
    required=("language", "of"),
)

NUMBER = Kind(
    doc="Reads a number with its unit from a JSON or CSV file that the task writes, and compares it with the published one.",
    options={
        "path": text("the file: `result.json`, `result.csv`"),
        "key": text("the number: `fit.deviation` in JSON, a column in CSV"),
        "unit_key": text("its unit, likewise: `fit.unit`"),
        "row": map_of("CSV: column → value, of the one row that is meant", WORD),
        "expect": {**_MEASURED, "description": "the published number with its unit: `304.85 jobs`, `0.9955 1`"},
        "tolerance": _TOLERANCE,
    },
    required=("path", "key", "unit_key", "expect", "tolerance"),
)

DIFFERENTIAL = Kind(
    doc="Compares columns that the task computed with those of a reference implementation on the same input.",
    options={
        "path": text("CSV or JSON file that the task writes"),
        "reference": text("held-out file with the output of the reference implementation"),
        "run": {
            "type": ["string", "array"],
            "items": WORD,
            "minItems": 1,
            "minLength": 1,
            "description": "command that writes `path` anew, without network: a line for `sh -c`, or a list",
        },
        "by": list_of("columns that tell rows apart; by their order unless given", WORD, least=1),
        "columns": {**map_of("column → its tolerance", _TOLERANCE), "minProperties": 1},
        "timeout": amount("longest run; 2 min unless given", "time"),
    },
    required=("path", "reference", "columns"),
)

ORACLES: Mapping[str, Kind] = {"call-sites": CALL_SITES, "number": NUMBER, "differential": DIFFERENTIAL, **STREAM}
"""The kinds by name."""
