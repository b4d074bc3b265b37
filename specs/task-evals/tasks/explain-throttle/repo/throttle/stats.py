"""Counts requests in windows of fixed length, for the daily report."""


class Window:
    def __init__(self, seconds):
        self.seconds = seconds
        self.counts = {}

    def count(self, client, moment):
        key = (client, int(moment // self.seconds))
        self.counts[key] = self.counts.get(key, 0) + 1
