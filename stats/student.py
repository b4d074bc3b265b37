"""Student's quantile: by the library for few degrees of freedom, by the expansion that it approaches for many."""

from stats.normal import quantile

MANY = 1000
"""From so many degrees of freedom on the expansion is as good as a double."""


def student_quantile(share: float, freedom: int) -> float:
    """The value that Student's t with ``freedom`` degrees of freedom stays below with probability ``share``.

    From ``MANY`` on by the expansion about the normal quantile to the fifth order (Fisher & Cornish 1960; Abramowitz & Stegun
    26.7.5): to 14 digits what the library gives up to a share of 1 - 1e-9. Below by scipy, which takes longer to load than
    anything here takes to compute.
    """
    if freedom < MANY:
        from scipy.special import stdtrit  # noqa: PLC0415

        return float(stdtrit(freedom, share))
    x = quantile(share)
    y = x * x
    orders = (
        (y + 1) / 4,
        ((5 * y + 16) * y + 3) / 96,
        (((3 * y + 19) * y + 17) * y - 15) / 384,
        ((((79 * y + 776) * y + 1482) * y - 1920) * y - 945) / 92160,
        (((((27 * y + 339) * y + 930) * y - 1782) * y - 765) * y + 17955) / 368640,
    )
    beyond = 0.0
    for each in reversed(orders):
        beyond = (beyond + each) / freedom
    return x + x * beyond
