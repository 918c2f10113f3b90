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
    """What is booked is taken off the level at once. Until it starts it lies in the bucket all the
    same, so that the level and what is booked together never pass the capacity. An empty one
    begins to fill at the first call."""

    def __init__(self, capacity, refill, period_ms, start):
        self.capacity, self.rate = capacity, Fraction(refill, period_ms)
        self.level, self.grants = Fraction(capacity if start == "full" else 0), {}
        self.clock = 0 if start == "full" else None

    def ceiling(self, at):
        booked = [one["charged"] for one in self.grants.values() if one["starts"] > at]
        return Fraction(self.capacity - sum(booked))

    def segments(self, now):
        """The level at the clock, and at each later start of a booking, as (instant, level,
        ceiling from there on); the refill until a start still has the ceiling before it."""
        at, level = self.clock, self.level
        yield at, level, self.ceiling(at)
        for start in sorted({one["starts"] for one in self.grants.values() if one["starts"] > at}):
            level = min(level + self.rate * (start - at), self.ceiling(at))
            at = start
            yield at, level, self.ceiling(at)

    def level_at(self, now):
        at, level, ceiling = [one for one in self.segments(now) if one[0] <= now][-1]
        return min(level + self.rate * (now - at), ceiling)

    def first_instant_of(self, cost, now):
        """The first instant from `now` on at which the level is the cost."""
        ends = [at for at, *_ in self.segments(now)][1:] + [None]
        for (at, level, ceiling), end in zip(list(self.segments(now)), ends):
            if ceiling >= cost:
                instant = max(now, at + max(0, ceil((cost - level) / self.rate)))
                if end is None or instant <= end:
                    return instant

    def write(self, now, level):
        self.clock, self.level = now, min(level, self.ceiling(now))

    def reserve(self, at_ms, cost, max_wait_ms, **name):
        if cost > self.capacity:
            return {"outcome": "never"}
        self.clock = at_ms if self.clock is None else self.clock
        now = max(at_ms, self.clock)
        starts = self.first_instant_of(cost, now)
        if starts - now > max_wait_ms:
            return {"outcome": "wait", "retry_after_ms": starts - now}
        level = self.level_at(now) - cost
        self.grants[name.get("as", f"unnamed {len(self.grants)}")] = {"charged": cost, "starts": starts}
        self.write(now, level)
        return {"outcome": "granted", "starts_at_ms": starts}

    def take(self, at_ms, cost, **name):
        return self.reserve(at_ms, cost, 0, **name)

    def cancel(self, at_ms, grant):
        now, held = max(at_ms, self.clock), self.grants[grant]
        if now >= held["starts"]:
            return "started"
        level = self.level_at(now) + held["charged"]
        del self.grants[grant]
        self.write(now, level)
        return "returned"

    def settle(self, at_ms, grant, actual):
        now, held = max(at_ms, self.clock), self.grants[grant]
        if actual == held["charged"]:
            return
        level = self.level_at(now) + held["charged"] - actual
        held["charged"] = actual
        self.write(now, level)

    def remaining(self, at_ms):
        return max(0, floor(self.level_at(max(at_ms, self.clock))))


def granted(starts_at_ms):
    return {"outcome": "granted", "starts_at_ms": starts_at_ms}


def wait(retry_after_ms):
    return {"outcome": "wait", "retry_after_ms": retry_after_ms}


NEVER = {"outcome": "never"}


def noted(step, name, reason):
    if name is not None:
        step["as"] = name
    return step if reason is None else {**step, "reason": reason}


def take(at_ms, cost, expect, reason=None, name=None):
    return noted({"at_ms": at_ms, "call": "take", "cost": cost, "expect": expect}, name, reason)


def reserve(at_ms, cost, max_wait_ms, expect, reason=None, name=None):
    step = {"at_ms": at_ms, "call": "reserve", "cost": cost, "max_wait_ms": max_wait_ms}
    return noted({**step, "expect": expect}, name, reason)


def cancel(at_ms, grant, expect):
    return {"at_ms": at_ms, "call": "cancel", "grant": grant, "expect": expect}


def settle(at_ms, grant, actual):
    return {"at_ms": at_ms, "call": "settle", "grant": grant, "actual": actual, "expect": None}


def remaining(at_ms, expect):
    return {"at_ms": at_ms, "call": "remaining", "expect": expect}


def case(name, reason, size, steps, by_hand=None, start="full"):
    capacity, refill, period_ms = size
    new = {"capacity": capacity, "refill": refill, "period_ms": period_ms, "start": start}
    return scenario(name, reason, new, TokenBucket, steps, by_hand)


def taking_cases():
    yield case(
        "A full bucket gives its capacity at once, and then one by one", "one token each 100 ms", (3, 1, 100),
        [*[take(0, 1, granted(0))] * 3, take(0, 1, wait(100)), take(99, 1, wait(1)), take(100, 1, granted(100)), take(100, 1, wait(100))],
        by_hand="3 - 3 = 0; 100 - 99 = 1",
    )
    yield case(
        "An idle bucket is full and no fuller", "in 10,000 ms it would hold 100", (3, 1, 100),
        [take(0, 3, granted(0)), *[take(10000, 1, granted(10000))] * 3, take(10000, 1, wait(100))],
    )
    yield case(
        "A year without a request gives one capacity", "31,536,000,000 ms at 7 a second", (10, 7, 1000),
        [take(0, 10, granted(0)), take(31536000000, 10, granted(31536000000)), take(31536000000, 1, wait(143))],
        by_hand="1000 / 7 = 142.86, rounded up",
    )
    yield case(
        "Seven a second is never one more and never one less", "token n is there at n * 1000 / 7, rounded up", (7, 7, 1000),
        [
            take(0, 7, granted(0)), take(142, 1, wait(1)), take(143, 1, granted(143)), take(285, 1, wait(1)),
            take(286, 1, granted(286)), take(428, 1, wait(1)), take(429, 1, granted(429)), take(1000, 4, granted(1000)),
            take(1000, 1, wait(143)), take(1142, 1, wait(1)),
        ],
        by_hand="142.86 -> 143, 285.71 -> 286, 428.57 -> 429; 7 by 1000, of which 3 were taken; 8 * 1000 / 7 = 1142.86",
    )
    yield case(
        "What is left is in whole tokens", "one token each 100 ms, rounded down", (3, 1, 100),
        [
            remaining(0, 3), take(0, 3, granted(0)), remaining(99, 0), remaining(100, 1), remaining(250, 2),
            remaining(300, 3), remaining(1000, 3), take(1000, 1, granted(1000)), remaining(1000, 2),
        ],
    )
    yield case(
        "A cost above the capacity is never granted, at once, and costs nothing", "3 is above 2, however long one waits", (2, 1, 100),
        [
            take(0, 3, NEVER), reserve(0, 3, 1000, NEVER), take(0, 0, {"error": "cost"}, "a cost is at least 1"),
            remaining(0, 2), take(0, 2, granted(0)),
        ],
    )
    yield case(
        "A refusal changes nothing, the clock included", "at 100 one token is there, whatever was asked at 150", (2, 1, 100),
        [
            take(0, 2, granted(0)), take(150, 2, wait(50)), take(100, 1, granted(100)), take(199, 1, wait(1)),
            remaining(5000, 2), take(200, 1, granted(200), "reading at 5000 changed nothing either"),
        ],
    )
    yield case(
        "A clock that goes back refills nothing twice", "decided with the later of now and the latest instant written with", (1, 1, 100),
        [
            take(1000, 1, granted(1000)), take(500, 1, wait(100), "decided at 1000"), remaining(500, 0), remaining(1099, 0),
            take(1099, 1, wait(1)), take(1100, 1, granted(1100)), take(0, 1, wait(100)),
        ],
    )
    yield case(
        "A large bucket counts single tokens", "a token each millisecond, a billion of them", (1000000000, 60000, 60000),
        [
            take(0, 1000000000, granted(0)), take(0, 1, wait(1)), take(1, 1, granted(1)), take(1, 1000000000, wait(1000000000)),
        ],
    )


def booking_cases():
    yield case(
        "Reservations of an empty bucket start in the order in which they came", "one token each 100 ms", (3, 1, 100),
        [*[reserve(0, 1, 1000, granted(start)) for start in (100, 200, 300)]], start="empty",
    )
    yield case(
        "An empty bucket is empty at the first instant, whatever the clock says", "it begins to fill when it is first asked", (3, 1, 100),
        [*[reserve(1700000000000, 1, 1000, granted(1700000000000 + start)) for start in (100, 200, 300)]], start="empty",
    )
    yield case(
        "An empty bucket begins to fill at the first call, though that is refused", "else one that is only asked would stay empty", (3, 1, 100),
        [
            take(1700000000000, 1, wait(100)), take(1700000000099, 1, wait(1)), take(1700000000100, 1, granted(1700000000100)),
            take(1700000000100, 1, wait(100)),
        ],
        start="empty",
    )
    yield case(
        "Reservations of a full bucket start at once while it holds out", "three are there", (3, 1, 100),
        [*[reserve(0, 1, 1000, granted(start)) for start in (0, 0, 0, 100, 200)]],
    )
    yield case(
        "A newcomer at the instant of refill does not overtake a reservation", "the token of 100 is booked", (1, 1, 100),
        [
            take(0, 1, granted(0)), reserve(0, 1, 100, granted(100)), take(50, 1, wait(150)), take(100, 1, wait(100)),
            remaining(100, 0), take(200, 1, granted(200)),
        ],
        by_hand="0 - 1 = -1; 1 is reached at 200; 200 - 50 = 150",
    )
    yield case(
        "A reservation waits exactly as long as it may, and not a millisecond more", "3 tokens are there at 300", (3, 1, 100),
        [take(0, 3, granted(0)), reserve(0, 3, 300, granted(300)), reserve(0, 1, 400, granted(400)), take(399, 1, wait(101))],
    )
    yield case(
        "A reservation that would wait too long is refused and consumes nothing", "3 tokens are there at 300, later than 200", (3, 1, 100),
        [
            take(0, 3, granted(0)), reserve(0, 3, 200, wait(300), "until it could start"), reserve(0, 3, 299, wait(300)),
            reserve(0, 1, 200, granted(100), "nobody is later for the refused"), take(300, 2, granted(300)),
        ],
    )
    yield case(
        "A reservation that is cancelled before its start is given back", "as if it had not been made", (2, 1, 100),
        [
            take(0, 2, granted(0)), reserve(0, 2, 200, granted(200), name="g1"), reserve(0, 1, 300, granted(300), name="g2"),
            cancel(199, "g1", "returned"), remaining(199, 0), take(200, 1, granted(200)), cancel(299, "g2", "returned"),
            remaining(299, 1), take(300, 2, granted(300)),
        ],
        by_hand="1.99 - 2 - 1 + 2 = 0.99 at 199; 1 at 200, less 1; 0.99 + 1 = 1.99 at 299; 2 at 300",
    )
    yield case(
        "What is booked lies in the bucket until it starts, and the bucket is never more than full",
        "3 are booked for 600: until then there is no room for a token beside them", (3, 1, 100),
        [
            take(0, 3, granted(0)), reserve(0, 3, 300, granted(300), name="g1"), reserve(0, 3, 600, granted(600)),
            cancel(299, "g1", "returned"), remaining(599, 0), take(599, 2, wait(201)), take(600, 1, wait(100)),
            remaining(700, 1), take(800, 2, granted(800)),
        ],
        by_hand="2.99 at 299, full at 300, and 3 - 3 = 0 at 600; 2 more at 800",
    )
    yield case(
        "What has started cannot be cancelled", "at its start it is under way", (2, 1, 100),
        [
            take(0, 2, granted(0), name="g1"), cancel(0, "g1", "started"), reserve(0, 1, 100, granted(100), name="g2"),
            cancel(100, "g2", "started"), take(100, 1, wait(100)),
        ],
    )


def settling_cases():
    yield case(
        "What was not used comes back, and the last word counts", "1 token each millisecond", (10000, 1, 1),
        [
            take(0, 9000, granted(0), name="g1"), remaining(0, 1000), settle(0, "g1", 1200), remaining(0, 8800),
            settle(0, "g1", 9500), remaining(0, 500), settle(0, "g1", 0), remaining(0, 10000), settle(0, "g1", 9000), remaining(0, 1000),
        ],
        by_hand="1000 + 7800 = 8800; 8800 + 1200 - 9500 = 500; 500 + 9500 = 10000",
    )
    yield case(
        "What was used beyond the estimate is a debt that the next waits for", "3000 too much at 1 a millisecond", (9000, 1, 1),
        [
            take(0, 9000, granted(0), name="g1"), settle(0, "g1", 12000), remaining(0, 0), take(0, 1, wait(3001)),
            take(3000, 1, wait(1)), remaining(3000, 0), take(3001, 1, granted(3001)),
        ],
        by_hand="0 - 3000 + 3001 = 1",
    )
    yield case(
        "What comes back never makes the bucket more than full", "it was full again already", (10, 1, 100),
        [take(0, 5, granted(0), name="g1"), remaining(1000, 10), settle(1000, "g1", 0), remaining(1000, 10), take(1000, 10, granted(1000)), take(1000, 1, wait(100))],
    )


def random_case(draws, size):
    steps, now, taken, booked = [], 0, [], []
    for number in range(160):
        now = max(0, now + draws.below(2 * size[2] // size[1] + 2) - size[2] // size[1] // 4)
        kind, cost, name = draws.below(10), 1 + draws.below(size[0]), f"g{number}"
        step = {"at_ms": now, "call": "take"}
        if kind < 4:
            taken.append(name)
            step |= {"cost": cost, "as": name}
        elif kind < 7:
            booked.append(name)
            max_wait_ms = draws.below(size[0] * size[2] // size[1])
            step |= {"call": "reserve", "cost": cost, "max_wait_ms": max_wait_ms, "as": name}
        elif kind == 7:
            step |= {"call": "remaining"}
        else:
            step |= {"call": "cancel" if kind == 8 else "settle", "grant": None, "actual": draws.below(size[0] + 2)}
        steps.append(step)
    name = f"Random steps at {size[1]} each {size[2]} ms, up to {size[0]}"
    return case(name, "made by the reference", size, grantable(TokenBucket(*size, "full"), steps))


def grantable(subject, steps):
    """Gives each cancel a reservation and each settle a take that was granted and is not cancelled."""
    held = {"take": [], "reserve": []}
    for step in steps:
        call = step["call"]
        if call in ("cancel", "settle"):
            grants = held["reserve" if call == "cancel" else "take"]
            if not grants:
                continue
            step["grant"] = grants.pop() if call == "cancel" else grants[-1]
            if call == "cancel":
                del step["actual"]
        arguments = {k: v for k, v in step.items() if k != "call"}
        answer = getattr(subject, call)(**arguments)
        if call in held and answer["outcome"] == "granted":
            held[call].append(step["as"])
        yield step


def vectors():
    draws = Draws(10)
    cases = [*taking_cases(), *booking_cases(), *settling_cases()]
    cases += [random_case(draws, size) for size in ((5, 7, 1000), (3, 1, 100), (100, 3, 10))]
    return {"about": ABOUT, "cases": cases}
