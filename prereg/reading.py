"""Reading a spec file with every kind that is installed: those of the catalogue, and those that other distributions describe."""

from pathlib import Path

from prereg.plugins import described_kinds
from spec_lang.load import Loaded, load, read_source


def load_spec(path: Path) -> Loaded:
    """Read a spec. Raises SpecErrors with every fault, WorldFault when a plugin that it names is broken."""
    source = read_source(path)
    return load(source, described_kinds(source.text))
