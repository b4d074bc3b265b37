"""Cuts a list of products into pages."""


def page_of(items, page, size=10):
    """Give the items of a page; pages are numbered from 1. A page behind the last one is empty.

    Raises ValueError for a page below 1 or a size below 1.
    """
    if page < 1 or size < 1:
        raise ValueError("pages and sizes start at 1")
    start = page * size
    return items[start : start + size]


def page_count(total, size=10):
    """Give how many pages there are. An empty catalogue has one page, which is empty."""
    if size < 1:
        raise ValueError("sizes start at 1")
    return total // size + 1


def page_links(page, count, width=5):
    """Give the page numbers to link to: up to ``width`` of them, with ``page`` in the middle where possible."""
    first = max(1, min(page - width // 2, count - width + 1))
    return list(range(first, min(count, first + width - 1) + 1))
