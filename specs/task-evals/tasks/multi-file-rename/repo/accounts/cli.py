"""``python -m accounts.cli FILE add USERNAME EMAIL`` and ``… FILE list``."""

import argparse
import sys

from accounts.model import User
from accounts.store import Store
from accounts.views import directory


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    verbs = parser.add_subparsers(dest="verb", required=True)
    add = verbs.add_parser("add")
    add.add_argument("username")
    add.add_argument("email")
    verbs.add_parser("list")
    arguments = parser.parse_args(argv)
    store = Store(arguments.file)
    users = store.load()
    if arguments.verb == "list":
        print(directory(users))
        return 0
    if arguments.username in users:
        print(f"there is a user {arguments.username} already", file=sys.stderr)
        return 1
    users[arguments.username] = User(username=arguments.username, email=arguments.email)
    store.save(users)
    return 0


if __name__ == "__main__":
    sys.exit(main())
