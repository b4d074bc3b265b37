"""What a customer pays."""

from shop.rates import delivery, weight_fee


def goods(lines):
    """Give what the goods cost, in cents; a line is (price, count)."""
    return sum(price * count for price, count in lines)


def total(lines, grams=0, settings=None):
    """Give what an order costs, in cents. ``settings`` are those of the shop, as a dict."""
    cost = goods(lines)
    return cost + delivery(cost) + weight_fee(grams)
