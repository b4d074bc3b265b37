"""The shopping cart."""


class Cart:
    """What a customer wants to buy: (name, price, weight in kg) of each piece."""

    def __init__(self, pieces=()):
        self.pieces = list(pieces)

    def add(self, name, price, weight):
        self.pieces.append((name, price, weight))

    def summary(self):
        """Give the goods' total, the fee for shipping, and their sum."""
        total = sum(price for _, price, _ in self.pieces)
        weight = sum(weight for _, _, weight in self.pieces)
        if total >= 50:
            fee = 0.0
        else:
            fee = 4.90
            if weight > 5:
                fee += (weight - 5) * 0.30
        return {"goods": round(total, 2), "shipping": round(fee, 2), "sum": round(total + fee, 2)}
