"""Every code of a diagnostic that this room gives, collected from beside the checks that give it."""

from collections.abc import Iterable, Mapping

from spec_lang import (
    assumptions_file,
    build,
    issue_export,
    judgments_file,
    option_faults,
    own_oracle,
    own_steps,
    scalars,
    schema_faults,
    stream_faults,
    task_file,
    text,
    yaml_tree,
)
from spec_lang.expr import complaints, parse

CODES_BY_MODULE: tuple[Mapping[str, str], ...] = (
    text.CODES,
    yaml_tree.CODES,
    scalars.CODES,
    schema_faults.CODES,
    build.CODES,
    option_faults.CODES,
    stream_faults.CODES,
    own_oracle.CODES,
    own_steps.CODES,
    task_file.CODES,
    issue_export.CODES,
    assumptions_file.CODES,
    judgments_file.CODES,
    parse.CODES,
    complaints.CODES,
)


def collected(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Put tables of codes together, sorted; a code that stands twice is a bug of ours."""
    codes: dict[str, str] = {}
    for table in tables:
        twice = codes.keys() & table.keys()
        assert not twice, f"declared twice: {sorted(twice)}"
        codes |= table
    return dict(sorted(codes.items()))
