"""Fisher's exact test of two counts: whether two shares are as unequal as chance seldom makes them, given their margins."""

from stats.number import Readable, count


def fisher_exact(hits: Readable, misses: Readable, other_hits: Readable, other_misses: Readable) -> float:
    """The two-sided p: the probability of every table with these margins that is no likelier than this one (Fisher 1935).

    Raises:
        StatError: something is no count.
    """
    import numpy as np  # noqa: PLC0415
    from scipy.stats import fisher_exact as fisher  # noqa: PLC0415  # scipy.stats takes most of a second to load

    table = [[count(hits, "hits"), count(misses, "misses")], [count(other_hits, "hits"), count(other_misses, "misses")]]
    return min(float(fisher(np.array(table)).pvalue), 1.0)
