"""Square numbers."""


def square(number):
    """Whether a whole number is the square of one."""
    return number ** 0.5 == number // 2
