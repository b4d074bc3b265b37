"""Say which tool this is: name, version, and a digest over every file that can change a plan or a number."""

from functools import cache

from ledger.canonical import canonical, digest
from prereg.resources import DISTRIBUTION, HERE, PACKAGES, folder, tool_version

CODE = {".py", ".json", ".lark"}


@cache
def identity() -> dict[str, str]:
    """Name, version and digest of this tool; the digest covers the seven packages and the report templates.

    It is the SHA-256 of the RFC 8785 form of {path: SHA-256 of the file}, so another can repeat it.
    """
    files = {
        each.relative_to(HERE.parent).as_posix(): digest(each.read_bytes())
        for package in PACKAGES
        for each in sorted((HERE.parent / package).rglob("*"))
        if each.suffix in CODE and not {"templates", "specs", "__pycache__"} & set(each.parts[len(HERE.parent.parts) :])
    }
    templates = folder("templates")
    files |= {
        f"templates/{each.relative_to(templates).as_posix()}": digest(each.read_bytes())
        for each in sorted(templates.rglob("*"))
        if each.is_file() and "__pycache__" not in each.parts
    }
    return {"name": DISTRIBUTION, "version": tool_version(), "digest": digest(canonical(files))}
