"""Gives offers."""

import time

from offers.cache import Cache
from offers.keys import cache_key

CACHE = Cache(size=1000, ttl=300)


def offers(request, search):
    found, hit = CACHE.fetch(cache_key(request), time.monotonic(), lambda: search(request))
    return found, "hit" if hit else "miss"
