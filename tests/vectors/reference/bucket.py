"""Token bucket, in exact fractions."""

from fractions import Fraction
from math import ceil, floor

from .draws import Draws
from .replay import scenario

ABOUT = (
    "A bucket of capacity, refill, period_ms and start (full or empty), and steps at their instants. "
    "take(cost) and reserve(cost, max_wait_ms) answer granted with its start, wait, or never; a grant "
    "is kept under the name in `as`. cancel(grant) answers returned or started, settle(grant, actual) "
    "null, remaining a number. Compare each answer."
)


class TokenBucket:
    def __init__(self, capacity, refill, period_ms, start):
        self.capacity, self.rate = capacity, Fraction(refill, period_ms)
        self.level, self.clock, self.grants = Fraction(capacity if start == "full" else 0), 0, {}

    def level_at(self, now):
        return min(self.level + self.rate * (now - self.clock), Fraction(self.capacity))

    def write(self, now, level):
        self.clock, self.level = now, min(level, Fraction(self.capacity))

    def reserve(self, at_ms, cost, max_wait_ms, **name):
        if cost > self.capacity:
            return {"outcome": "never"}
        now = max(at_ms, self.clock)
        missing = cost - self.level_at(now)
        wait_ms = max(0, ceil(missing / self.rate))
        if wait_ms > max_wait_ms:
            return {"outcome": "wait", "retry_after_ms": wait_ms}
        self.write(now, self.level_at(now) - cost)
        self.grants[name.get("as")] = {"charged": cost, "starts": now + wait_ms}
        return {"outcome": "granted", "starts_at_ms": now + wait_ms}

    def take(self, at_ms, cost, **name):
        return self.reserve(at_ms, cost, 0, **name)

    def cancel(self, at_ms, grant):
        now, held = max(at_ms, self.clock), self.grants.pop(grant)
        if now >= held["starts"]:
            return "started"
        self.write(now, self.level_at(now) + held["charged"])
        return "returned"

    def settle(self, at_ms, grant, actual):
        now, held = max(at_ms, self.clock), self.grants[grant]
        self.write(now, self.level_at(now) + held["charged"] - actual)
        held["charged"] = actual

    def remaining(self, at_ms):
        return max(0, floor(self.level_at(max(at_ms, self.clock))))
