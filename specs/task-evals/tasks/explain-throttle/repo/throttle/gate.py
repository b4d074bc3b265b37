"""Lets requests of a client pass or not."""

import time


class Gate:
    def __init__(self, rate, capacity, now=time.monotonic):
        self.rate = rate
        self.capacity = capacity
        self.now = now
        self._level = {}

    def admit(self, client):
        moment = self.now()
        level, seen = self._level.get(client, (self.capacity, moment))
        level = min(self.capacity, level + (moment - seen) * self.rate)
        admitted = level >= 1
        self._level[client] = (level - 1 if admitted else level, moment)
        return admitted
