"""Invoices."""


def invoice_lines(order):
    """Give the lines of an invoice for an order {"number": …, "goods": [(name, price, weight)]}."""
    total = sum(price for _, price, _ in order["goods"])
    weight = sum(weight for _, _, weight in order["goods"])
    if total >= 50:
        fee = 0.0
    else:
        fee = 4.90
        if weight > 5:
            fee += (weight - 5) * 0.30
    lines = [f"{name}: {price:.2f}" for name, price, _ in order["goods"]]
    if fee:
        lines.append(f"Shipping: {fee:.2f}")
    lines.append(f"Total: {total + fee:.2f}")
    return lines
