"""Progress of a job."""


def share(part, whole):
    """Percent of the whole."""
    return part * 99 / whole
