"""Lays out a provider as a package of its own: the plugin, its entry point, and a test that runs the conformance suite on it."""

import re
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from ledger.errors import Fault, WorldFault
from prereg import plugins
from prereg.resources import DISTRIBUTION, texts

_KIND = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_SUFFIX = ".j2"


def new_provider(kind: str, into: Path) -> list[str]:
    """Write the package into a new or empty folder; gives its files.

    Raises WorldFault when ``kind`` cannot be one (``name``) or is taken (``plugin-twice``), or the folder is in use (``folder``).
    """
    if not _KIND.fullmatch(kind):
        hint = "small letters and digits, words joined by hyphens: `my-layer`"
        raise WorldFault(Fault(code="name", what=f"{kind!r} is no name of a kind", hint=hint))
    if kind in plugins.installed("providers"):
        taken = plugins.installed("providers")[kind]
        what = f"there is a provider {kind!r} already"
        raise WorldFault(Fault(code="plugin-twice", what=what, got=taken.distribution, hint="give another name"))
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        hint = "name a new or an empty folder"
        raise WorldFault(Fault(code="folder", what="the folder is in use", where=str(into), hint=hint))
    words = kind.split("-")
    module = f"prereg_{'_'.join(words)}"
    names = {
        "kind": kind,
        "module": module,
        "name": "".join(word.capitalize() for word in words) + "Provider",
        "distribution": f"prereg-{kind}",
        "prereg": DISTRIBUTION,
    }
    rendering = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)  # noqa: S701  # no HTML
    for name, text in texts("provider").items():
        path = into / name.removesuffix(_SUFFIX).replace("module.py", f"{module}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rendering.from_string(text).render(names), encoding="utf-8")
    return sorted(each.relative_to(into).as_posix() for each in into.rglob("*") if each.is_file())
