"""What people see."""


def badge(user):
    return f"@{user.username}"


def directory(users):
    """Give one line for each user, sorted by username."""
    ordered = sorted(users.values(), key=lambda user: user.username.lower())
    return "\n".join(f"{badge(user)} <{user.email}>" for user in ordered)
