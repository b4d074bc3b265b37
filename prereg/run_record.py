"""What ``run.json`` holds: which registration a run carries out, written once when the run begins."""

from collections.abc import Mapping
from dataclasses import dataclass

from ledger.canonical import canonical, parse
from ledger.codec import from_plain, to_plain
from ledger.disk import write_whole
from prereg.experiment import RunFolder

RUN_TYPE = "prereg.run/v1"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """A run and the registration it belongs to; ``registration`` is a folder name, ``registration_digest`` binds its bytes."""

    run: str
    registration: str
    registration_digest: str
    registration_id: str
    plan_digest: str
    spec_digest: str
    tool: Mapping[str, str]
    created_at_untrusted: str
    canon: str = "1"
    type: str = RUN_TYPE


def read(folder: RunFolder) -> RunRecord:
    """Read ``run.json``. Raises IntegrityFault when it is not what this tool wrote."""
    where = str(folder.record)
    return from_plain(RunRecord, parse(folder.record.read_bytes(), where=where), where=where)


def write(folder: RunFolder, record: RunRecord) -> None:
    """Write ``run.json`` once. Raises WorldFault when the disk refuses."""
    write_whole(folder.record, canonical(to_plain(record)))
