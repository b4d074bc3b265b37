"""The table of builtins."""

from spec_lang.expr.builtins import BUILTINS, BY_NAME, table


def test_every_builtin_says_what_it_is() -> None:
    for each in BUILTINS:
        assert each.signature.startswith(f"{each.name}(")
        assert each.doc.endswith(".")
        assert each.scopes
    assert len(BY_NAME) == len(BUILTINS)


def test_the_table_lists_them_all() -> None:
    rows = table().split("\n")
    assert len(rows) == len(BUILTINS) + 2
    assert any(row.startswith("| `sum(column)") and row.endswith("| per_arm |") for row in rows)
