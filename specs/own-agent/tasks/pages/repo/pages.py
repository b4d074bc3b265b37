"""Pages of a list, ten entries each."""


def pages(entries):
    """How many pages there are."""
    return (entries + 8) // 10
