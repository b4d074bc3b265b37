"""What sending costs."""

FREE_FROM = 5000
STANDARD = 490


def delivery(total):
    """Give what sending an order of ``total`` cents costs, in cents; from 5000 on nothing."""
    return 0 if total >= FREE_FROM else STANDARD


def weight_fee(grams):
    """Give what a heavy parcel costs on top, in cents."""
    return 0 if grams <= 2000 else 350
