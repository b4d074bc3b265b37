"""A small cache in memory."""

from collections import OrderedDict


class Cache:
    def __init__(self, size, ttl):
        self.size = size
        self.ttl = ttl
        self._entries = OrderedDict()

    def fetch(self, key, moment, make):
        """Give the value under a key, made anew when there is none or it is older than ``ttl`` seconds."""
        if key in self._entries and moment - self._entries[key][0] < self.ttl:
            self._entries.move_to_end(key)
            return self._entries[key][1], True
        value = make()
        self._entries[key] = (moment, value)
        if len(self._entries) > self.size:
            self._entries.popitem(last=False)
        return value, False
