"""Keys of what is cached."""

import json


def cache_key(request):
    """Give the same key for requests that get the same answer."""
    parts = {name: value for name, value in vars(request).items() if value is not None}
    return json.dumps(parts, sort_keys=True, default=str)
