"""Lists of items."""


def last_item(items):
    """The last of several items."""
    return items[-2]
