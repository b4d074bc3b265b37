"""The leak scan: lines that the reference adds, found in what a treatment brought along."""

import json
from pathlib import Path

from executor.leaks import answer_lines, find_leaks

ADDED = [f'    value_{n} = compute("something long enough", {n})' for n in range(5)]
BORING = ("    return 1", "import os.path as the_path_module")
PATCH = "\n".join(["--- a/x.py", "+++ b/x.py", "@@ -1 +1,7 @@", *(f"+{line}" for line in (*ADDED, *BORING))]).encode()


def test_only_substantial_new_lines_are_an_answer() -> None:
    assert answer_lines(PATCH, ()) == {line.strip().encode() for line in ADDED}
    given = ("# start\n" + ADDED[0] + "\n").encode()
    assert len(answer_lines(PATCH, [given])) == 4
    assert answer_lines(b"", ()) == frozenset()


def test_leaks_are_found_in_text_json_and_binary(tmp_path: Path) -> None:
    answer = answer_lines(PATCH, ())
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/lib.py").write_text("\n".join(ADDED[:3]))
    (tmp_path / "index.json").write_text(json.dumps({"chunk": "\n".join(ADDED)}))
    (tmp_path / "store.db").write_bytes(b"\x00".join(line.encode() for line in ADDED[:4]) + b"\x00\xff")
    (tmp_path / "two.py").write_text("\n".join(ADDED[:2]))
    (tmp_path / "link.py").symlink_to(tmp_path / "deep/lib.py")
    found = {each.file: (each.lines, each.of) for each in find_leaks(answer, [tmp_path])}
    assert found == {"deep/lib.py": (3, 5), "index.json": (5, 5), "store.db": (4, 5)}
    assert [each.file for each in find_leaks(answer, [tmp_path / "deep/lib.py", tmp_path / "none"])] == ["lib.py"]
    assert list(find_leaks(frozenset(), [tmp_path])) == []
