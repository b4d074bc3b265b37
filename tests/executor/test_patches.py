"""Reading patches: what changes is taken line by line, and a line that says something is told from one that does not."""

from executor.patches import changed_lines, names_on_changed_lines, substantial_lines, touched

PATCH = b"""diff --git a/src/money.py b/src/money.py
index 1111111..2222222 100644
--- a/src/money.py
+++ b/src/money.py
@@ -1,4 +1,5 @@ def outer_function():
 def round_up(amount, step):
--    # round_half is no way
-    return round_half(amount.cents, step=5) if step else self.total
+    return -(-amount.cents // step),
++    # a comment about best_effort
+    raise ValueError("no step_size at all")
     context_name = 1
@@ -20 +21 @@
-}
+    });
\\ No newline at end of file
diff --git a/b.js b/b.js
new file mode 100644
--- /dev/null
+++ b/b.js
@@ -0,0 +1 @@
+export const isNight = (minutes) => minutes >= NIGHT; // begins_at
"""


def test_changed_lines_are_those_of_hunks_alone() -> None:
    lines = list(changed_lines(PATCH))
    assert len(lines) == 8
    assert lines[0] == "-    # round_half is no way"
    assert not any("src/money" in line or "context_name" in line or "No newline" in line for line in lines)


def test_substantial_lines_say_something() -> None:
    assert substantial_lines(PATCH) == (
        "+    # a comment about best_effort",
        "-    # round_half is no way",
        "export const isNight = (minutes) => minutes >= NIGHT; // begins_at",
        'raise ValueError("no step_size at all")',
        "return -(-amount.cents // step)",
        "return round_half(amount.cents, step=5) if step else self.total",
    )


def test_names_are_code_of_either_side() -> None:
    assert names_on_changed_lines(PATCH) == (
        "NIGHT",
        "amount",
        "cents",
        "isNight",
        "minutes",
        "round_half",
        "step",
        "total",
    )


def test_touched_paths() -> None:
    assert touched(PATCH) == ("b.js", "src/money.py")
    assert touched(b"") == ()
