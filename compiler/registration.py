"""What ``registration.json`` says, and what a compiled spec must give to be registered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from compiler.difference import Change
from compiler.plan import Plan
from ledger.plain import Plain

REGISTRATION_TYPE = "prereg.registration/v1"
CANON = "1"

Access = Literal["nothing-run", "runs-not-opened", "outcomes-seen"]


class Lockable(Protocol):
    """What registering needs of a compiled spec (``compiler.pipeline.Compiled``)."""

    @property
    def plan(self) -> Plan:
        """The locked plan."""
        ...

    @property
    def plan_bytes(self) -> bytes:
        """``plan.json``."""
        ...

    @property
    def plan_digest(self) -> str:
        """Its digest."""
        ...

    @property
    def spec_bytes(self) -> bytes:
        """``spec.json``."""
        ...

    @property
    def spec_digest(self) -> str:
        """Its digest."""
        ...

    @property
    def prompts(self) -> Mapping[str, bytes]:
        """The whole prompt of each drawn task by its digest, which the plan names."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Registration:
    """``registration.json``. Its digest is the genesis of every ledger that carries it out.

    ``spec``: ``digest`` of spec.json, ``source_digest`` of spec.yaml. ``plan``: ``digest``, ``trials``. ``inputs``: file
    name → digest of its bytes. ``tool``: name, version, digest. ``registration_id`` is random and names the lineage:
    amendments keep it. ``access``: what had been seen at least. ``parent``: digest of the registration that this one
    amends, ``reason`` why, ``changes`` what differs from the parent's spec.json, ``effective_from`` the ledger line from
    which it holds (None: for new runs only). ``prior``: digests of all earlier registrations here.
    ``created_at_untrusted`` is a claim.
    """

    registration_id: str
    spec: Mapping[str, str]
    plan: Mapping[str, Plain]
    inputs: Mapping[str, str]
    tool: Mapping[str, str]
    foreknowledge: Plain
    access: Access
    created_at_untrusted: str
    parent: str | None = None
    reason: str | None = None
    changes: tuple[Change, ...] = ()
    effective_from: int | None = None
    prior: tuple[str, ...] = ()
    canon: str = CANON
    type: str = REGISTRATION_TYPE
