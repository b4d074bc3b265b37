"""Badges with initials."""


def initials(name):
    """The first letter of every word."""
    return "".join(word[1] for word in name.split())
