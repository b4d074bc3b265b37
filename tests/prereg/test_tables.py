"""Tables: what does not fit goes on in the next line, and nothing of it is lost."""

from rich.table import Table

from prereg.tables import WIDTH, draw


def test_a_digest_that_is_wider_than_the_page_is_folded_not_cut() -> None:
    digest = "sha256:" + "0123456789abcdef" * 12
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("registration", digest)
    lines = draw(table).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert "".join(lines).replace(" ", "") == f"registration{digest}"
