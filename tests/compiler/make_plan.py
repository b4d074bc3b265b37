"""Prints the digests of the fixture's plan; run in other processes, under other hash seeds, locales, zones and folders."""

from tests.compiler import world

if __name__ == "__main__":
    done = world.compiled()
    print(done.spec_digest, done.plan_digest)
