"""Offers that sales people send before an order."""


def quote(total, weight, discount=0.0):
    """Give the price of an offer; the discount (0.1 is ten percent) is taken off the goods before shipping is reckoned."""
    total = total * (1 - discount)
    if total >= 50:
        fee = 0.0
    else:
        fee = 4.90
        if weight > 5:
            fee += (weight - 5) * 0.30
    return round(total + fee, 2)
