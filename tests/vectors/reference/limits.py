"""Several limits that are taken together or not at all, and what they keep when their rules change."""

from fractions import Fraction
from math import ceil, floor

from .bucket import TokenBucket, granted
from .window import WindowLimit


class Bucket(TokenBucket):
    def first_start(self, cost, now):
        return self.first_instant_of(cost, now)

    def begin(self, now):
        self.clock = now if self.clock is None else self.clock

    def charge(self, grant, cost, starts, now):
        level = self.level_at(now) - cost
        self.grants[grant] = {"charged": cost, "starts": starts}
        self.write(now, level)

    def charged(self, grant):
        return self.grants[grant]["charged"] if grant in self.grants else 0

    def give_back(self, grant, now):
        level = self.level_at(now) + self.grants.pop(grant)["charged"]
        self.write(now, level)

    def correct(self, grant, starts, actual, now):
        level = self.level_at(now) + self.charged(grant) - actual
        self.grants[grant] = {"charged": actual, "starts": starts}
        self.write(now, level)

    def left(self, now):
        return max(0, floor(self.level_at(now)))

    def rule(self):
        return self.capacity, self.rate

    def change(self, new, inherit, now):
        """What was consumed is counted in whole tokens, rounded up, and so is what is owed."""
        level = self.level_at(now)
        booked = sum(one["charged"] for one in self.grants.values() if one["starts"] > now)
        left = level + booked
        if new.rule() == self.rule():
            missing = self.capacity - level
        elif inherit == "keep":
            missing = ceil(self.capacity - level)
        elif inherit == "proportional" and left < 0:
            missing = new.capacity + ceil(-left) + booked
        elif inherit == "proportional":
            missing = new.capacity - floor(Fraction(floor(left) * new.capacity, self.capacity)) + booked
        else:
            missing = booked + (new.capacity if inherit == "empty" else 0)
        self.capacity, self.rate = new.rule()
        self.clock, self.level = now, Fraction(self.capacity - missing)


class Window(WindowLimit):
    """What starts before `from_ms` had left the window, or was forgotten, before the rule changed."""

    from_ms = 0

    def first_start(self, cost, now):
        return self.start_of(cost, now)

    def begin(self, now):
        pass

    def charge(self, grant, cost, starts, now):
        self.clock = now
        self.grants[grant] = {"charged": cost, "group": self.add_last(cost, starts)}

    def add_last(self, cost, starts):
        """A change of the window may leave a group longer than a part of it: the same last instant joins."""
        last = self.groups[-1] if self.groups else None
        if last is None or starts - last["first"] >= self.span_ms and starts != last["last"]:
            last = {"first": starts, "last": starts, "cost": 0}
            self.groups.append(last)
        last["last"] = starts
        last["cost"] += cost
        return last

    def charged(self, grant):
        return self.grants[grant]["charged"] if grant in self.grants else 0

    def give_back(self, grant, now):
        self.clock = now
        held = self.grants.pop(grant)
        held["group"]["cost"] -= held["charged"]
        if held["group"]["cost"] == 0:
            self.groups.remove(held["group"])

    def correct(self, grant, starts, actual, now):
        """Where a grant has no group (it was not asked for, or a change has forgotten it), it counts in
        the next one."""
        self.clock = now
        held = self.grants.setdefault(grant, {"charged": 0, "group": None})
        is_within = starts >= self.from_ms and now < starts + self.window_ms
        group = next((one for one in self.groups if one is held["group"]), None)
        group = group or next((one for one in self.groups if starts <= one["last"]), None)
        if group is not None and (is_within or group["first"] <= starts):
            group["cost"] = max(0, group["cost"] - held["charged"]) + actual
            held["group"] = group
        elif group is None and is_within:
            held["group"] = self.add_last(actual, starts)
        held["charged"] = actual

    def left(self, now):
        return max(0, self.capacity - self.used(now))

    def rule(self):
        return self.capacity, self.window_ms

    def change(self, new, inherit, now):
        self.clock = now
        if new.rule() == self.rule():
            return
        known = [group for group in self.groups if now < group["last"] + self.window_ms]
        begun = [group for group in known if group["last"] <= now]
        booked = known[len(begun):]
        if new.window_ms > self.window_ms:
            self.from_ms = max(self.from_ms, now - self.window_ms + 1)
        if inherit == "full" and begun:
            self.from_ms = max(self.from_ms, begun[-1]["last"] + 1)
        if inherit == "proportional":
            # The same share of any later window too: the sums from the newest on, each rounded up.
            total = scaled = 0
            for group in reversed(begun):
                total += group["cost"]
                group["cost"] = ceil(Fraction(total * new.capacity, self.capacity)) - scaled
                scaled += group["cost"]
            begun = [group for group in begun if group["cost"] > 0]
        elif inherit == "full":
            begun = []
        elif inherit == "empty":
            rest = new.capacity - sum(group["cost"] for group in known)
            begun += [{"first": now, "last": now, "cost": rest}] if rest > 0 else []
        self.capacity, self.window_ms, self.span_ms = new.capacity, new.window_ms, new.span_ms
        self.groups = begun + booked


class Limits:
    def __init__(self, limits):
        self.limits, self.starts, self.unnamed = [made(one) for one in limits], {}, 0

    def now(self, at_ms):
        return max([at_ms, *(limit.clock or 0 for limit in self.limits)])

    def reserve(self, at_ms, costs, max_wait_ms, **name):
        now = self.now(at_ms)
        asked = [(at, limit, cost) for at, (limit, cost) in enumerate(zip(self.limits, costs)) if cost > 0]
        for at, limit, cost in asked:
            if cost > limit.capacity:
                return never(at)
        for limit in self.limits:
            limit.begin(now)
        starts = [(limit.first_start(cost, now), at) for at, limit, cost in asked]
        start = max(start for start, _ in starts)
        slowest = 0 if start == now else min(at for own, at in starts if own == start)
        if start - now > max_wait_ms:
            return wait(start - now, slowest)
        self.unnamed += 1
        grant = name.get("as", f"unnamed {self.unnamed}")
        self.starts[grant] = start
        for _, limit, cost in asked:
            limit.charge(grant, cost, start, now)
        return granted(start)

    def take(self, at_ms, costs, **name):
        return self.reserve(at_ms, costs, 0, **name)

    def cancel(self, at_ms, grant):
        now = self.now(at_ms)
        if now >= self.starts[grant]:
            return "started"
        for limit in self.limits:
            if limit.charged(grant) > 0:
                limit.give_back(grant, now)
        return "returned"

    def settle(self, at_ms, grant, actual):
        now = self.now(at_ms)
        for limit, cost in zip(self.limits, actual):
            if cost != limit.charged(grant):
                limit.correct(grant, self.starts[grant], cost, now)

    def remaining(self, at_ms):
        return [limit.left(self.now(at_ms)) for limit in self.limits]

    def change(self, at_ms, limits, inherit):
        now, changed = self.now(at_ms), []
        for one in limits:
            one = dict(one)
            at, rule = one.pop("from", None), made(one)
            if at is None:
                rule.begin(now)
                changed.append(rule)
            else:
                self.limits[at].change(rule, inherit, now)
                changed.append(self.limits[at])
        for limit in changed:
            limit.clock = now
        self.limits = changed


def made(limit):
    rule = {field: value for field, value in limit.items() if field != "kind"}
    return {"bucket": Bucket, "window": Window}[limit["kind"]](**rule)


def wait(retry_after_ms, limit):
    return {"outcome": "wait", "retry_after_ms": retry_after_ms, "limit": limit}


def never(limit):
    return {"outcome": "never", "limit": limit}
