"""A shelf and what stands on it."""


def put(shelf, thing, count=1):
    """Put things on a shelf."""
    shelf[thing] = shelf.get(thing, 0) + count


def take(shelf, thing, count=1):
    """Take things from a shelf; what is not there cannot be taken."""
    if shelf.get(thing, 0) < count:
        raise ValueError(thing)
    shelf[thing] -= count


def empty(shelf):
    """Say whether nothing is left on a shelf."""
    return not any(shelf.values())
