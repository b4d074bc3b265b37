"""The tool's identity: repeatable by hand, and another one when a file that can change a plan changes."""

import hashlib
import json
from pathlib import Path

import pytest

from prereg import places, tool
from prereg.resources import PACKAGES, folder, texts, tool_version

ROOT = Path(__file__).parents[2]


def test_the_digest_can_be_repeated_with_stock_means() -> None:
    files = {
        each.relative_to(ROOT).as_posix(): "sha256:" + hashlib.sha256(each.read_bytes()).hexdigest()
        for package in (*PACKAGES, "templates")
        for each in (ROOT / package).rglob("*")
        if each.is_file() and "__pycache__" not in each.parts
        if package == "templates" or each.suffix in {".py", ".json", ".lark"}
    }
    document = json.dumps(files, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    tool.identity.cache_clear()
    assert tool.identity()["digest"] == "sha256:" + hashlib.sha256(document).hexdigest()
    assert tool.identity()["version"] == tool_version()


def test_templates_and_specs_are_found() -> None:
    assert {"report.md.j2", "report.html.j2"} <= set(texts())
    assert (folder("specs") / "task-outcome" / "spec.yaml").is_file()


def test_the_cache_can_be_moved_and_scratch_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREREG_CACHE", str(tmp_path / "deep" / "cache"))
    assert places.cache().is_dir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert places.scratch().stat().st_mode & 0o777 == 0o700
    assert places.scratch().parent == tmp_path
