"""Window limit: never more than the capacity in any trailing window."""

from .bucket import NEVER, cancel, granted, remaining, reserve, settle, take, wait
from .draws import Draws
from .replay import scenario

ABOUT = (
    "A limit of capacity and window_ms, and steps at their instants, with calls and answers as in "
    "bucket.json. Grants are counted in groups: one that starts less than window_ms / 48 (rounded up) "
    "after the first grant of the newest group joins that group, and a group counts until its last "
    "grant + window_ms. Compare each answer."
)


class WindowLimit:
    def __init__(self, capacity, window_ms):
        self.capacity, self.window_ms, self.span_ms = capacity, window_ms, -(-window_ms // 48)
        self.clock, self.groups, self.grants = 0, [], {}

    def used(self, now):
        return sum(group["cost"] for group in self.groups if now < group["last"] + self.window_ms)

    def start_of(self, cost, now):
        """The earliest instant, behind all that was granted before, at which the cost fits."""
        now = max([now, *(group["last"] for group in self.groups)])
        ends = [group["last"] + self.window_ms for group in self.groups]
        return min(at for at in [now, *ends] if at >= now and self.used(at) + cost <= self.capacity)

    def reserve(self, at_ms, cost, max_wait_ms, **name):
        if cost > self.capacity:
            return NEVER
        now = max(at_ms, self.clock)
        starts = self.start_of(cost, now)
        if starts - now > max_wait_ms:
            return wait(starts - now)
        self.clock = now
        if not self.groups or starts - self.groups[-1]["first"] >= self.span_ms:
            self.groups.append({"first": starts, "last": starts, "cost": 0})
        group = self.groups[-1]
        group["last"] = starts
        group["cost"] += cost
        self.grants[name.get("as")] = {"group": group, "charged": cost, "starts": starts}
        return granted(starts)

    def take(self, at_ms, cost, **name):
        return self.reserve(at_ms, cost, 0, **name)

    def cancel(self, at_ms, grant):
        now, held = max(at_ms, self.clock), self.grants.pop(grant)
        if now >= held["starts"]:
            return "started"
        self.clock = now
        held["group"]["cost"] -= held["charged"]
        if held["group"]["cost"] == 0:
            self.groups.remove(held["group"])
        return "returned"

    def settle(self, at_ms, grant, actual):
        held = self.grants[grant]
        if actual == held["charged"]:
            return
        self.clock = max(at_ms, self.clock)
        held["group"]["cost"] += actual - held["charged"]
        held["charged"] = actual

    def remaining(self, at_ms):
        return max(0, self.capacity - self.used(max(at_ms, self.clock)))


def case(name, reason, size, steps, by_hand=None):
    capacity, window_ms = size
    return scenario(name, reason, {"capacity": capacity, "window_ms": window_ms}, WindowLimit, steps, by_hand)


def taking_cases():
    yield case(
        "The capacity at once, and the next when the window has passed", "a grant at 0 counts until 100", (3, 100),
        [*[take(0, 1, granted(0))] * 3, take(0, 1, wait(100)), take(99, 1, wait(1)), take(100, 1, granted(100)), remaining(100, 2)],
        by_hand="0 + 100 - 99 = 1",
    )
    yield case(
        "Grants close together count until the last of them leaves the window", "50 is less than 4800 / 48 = 100 after 0", (2, 4800),
        [
            take(0, 1, granted(0)), take(50, 1, granted(50)), take(4799, 1, wait(51)), take(4800, 1, wait(50)),
            remaining(4849, 0), take(4850, 1, granted(4850)), remaining(4850, 1),
        ],
        by_hand="50 + 4800 = 4850; 4850 - 4799 = 51",
    )
    yield case(
        "Grants far apart leave the window one by one", "101 is more than 100 after 0", (2, 4800),
        [
            take(0, 1, granted(0)), take(101, 1, granted(101)), take(4799, 1, wait(1)), take(4800, 1, granted(4800)),
            take(4800, 1, wait(101)), take(4901, 1, granted(4901)),
        ],
        by_hand="0 + 4800 = 4800; 101 + 4800 - 4800 = 101",
    )
    yield case(
        "A grant at the end of a group's span begins the next group", "99 is less than 100 after 0, 100 is not", (3, 4800),
        [
            take(0, 1, granted(0)), take(99, 1, granted(99)), take(100, 1, granted(100)), take(4800, 1, wait(99)),
            take(4899, 3, wait(1)), take(4899, 2, granted(4899)), remaining(4899, 0), remaining(4900, 1),
        ],
        by_hand="99 + 4800 = 4899 for the first two, 100 + 4800 = 4900",
    )
    yield case(
        "The span is measured from the group's first grant, not from its last", "120 is less than 100 after 60, but not after 0", (3, 4800),
        [take(0, 1, granted(0)), take(60, 1, granted(60)), take(120, 1, granted(120)), take(4860, 2, granted(4860)), take(4860, 1, wait(60))],
        by_hand="60 + 4800 = 4860 for the first two; 120 + 4800 - 4860 = 60",
    )
    yield case(
        "A span is rounded up", "100 / 48 = 2.08, so that 2 joins and 3 does not", (3, 100),
        [
            take(0, 1, granted(0)), take(2, 1, granted(2)), take(3, 1, granted(3)), take(101, 1, wait(1)),
            take(102, 2, granted(102)), take(102, 1, wait(1)), take(103, 1, granted(103)),
        ],
        by_hand="2 + 100 = 102, 3 + 100 = 103",
    )
    yield case(
        "Up to a window of 48 ms every grant is counted by itself", "48 / 48 = 1: only the same instant is less than 1 away", (2, 48),
        [
            take(0, 1, granted(0)), take(1, 1, granted(1)), take(47, 1, wait(1)), take(48, 1, granted(48)),
            take(48, 1, wait(1)), take(49, 1, granted(49)),
        ],
        by_hand="0 + 48 = 48, 1 + 48 = 49",
    )
    yield case(
        "A large cost waits until enough groups have left", "4, 4 and 2 of 10, a second apart", (10, 4800),
        [
            take(0, 4, granted(0)), take(1000, 4, granted(1000)), take(2000, 2, granted(2000)), take(3000, 4, wait(1800)),
            take(3000, 5, wait(2800)), take(3000, 9, wait(3800)), remaining(3000, 0), remaining(4800, 4), remaining(5800, 8),
            remaining(6800, 10), take(5800, 8, granted(5800)), take(5800, 1, wait(1000)),
        ],
        by_hand="4 free at 4800, 8 at 5800, 10 at 6800",
    )
    yield case(
        "A cost above the capacity is never granted, at once, and costs nothing", "3 is above 2, however long one waits", (2, 100),
        [take(0, 3, NEVER), reserve(0, 3, 1000, NEVER), take(0, 0, {"error": "cost"}, "a cost is at least 1"), remaining(0, 2), take(0, 2, granted(0))],
    )
    yield case(
        "A refusal changes nothing, the clock included", "the window of 0 ends at 100, whatever was asked at 60", (2, 100),
        [
            take(0, 1, granted(0)), take(50, 1, granted(50)), take(90, 1, wait(10)), remaining(5000, 2),
            take(60, 1, wait(40), "neither the refusal at 90 nor the reading moved the clock"), take(100, 1, granted(100)), take(100, 1, wait(50)),
        ],
    )
    yield case(
        "A clock that goes back frees nothing", "decided with the later of now and the latest instant written with", (1, 100),
        [
            take(1000, 1, granted(1000)), take(500, 1, wait(100), "decided at 1000"), remaining(500, 0), take(1099, 1, wait(1)),
            take(1100, 1, granted(1100)), take(0, 1, wait(100)),
        ],
    )


def booking_cases():
    yield case(
        "Reservations start when the window allows, in the order in which they came", "one each 100 ms", (1, 100),
        [*[reserve(0, 1, 1000, granted(start)) for start in (0, 100, 200)], take(0, 1, wait(300)), take(250, 1, wait(50)), take(300, 1, granted(300))],
    )
    yield case(
        "Nobody passes a reservation, even where there is room again", "g1 used nothing after all; the reservation keeps its instant", (3, 100),
        [
            take(0, 3, granted(0), name="g1"), reserve(10, 2, 100, granted(100)), settle(20, "g1", 0), take(20, 1, wait(80)),
            take(100, 1, granted(100)), take(100, 1, wait(100)),
        ],
        by_hand="100 - 20 = 80; 2 + 1 = 3 from 100 to 200",
    )
    yield case(
        "A reservation waits exactly as long as it may, and not a millisecond more", "free at 100", (1, 100),
        [
            take(0, 1, granted(0)), reserve(10, 1, 89, wait(90), "until it could start"), reserve(10, 1, 90, granted(100)),
            take(100, 1, wait(100), "100 is booked"),
        ],
        by_hand="100 - 10 = 90",
    )
    yield case(
        "A reservation that is cancelled before its start is given back", "as if it had not been made", (1, 100),
        [
            take(0, 1, granted(0)), reserve(10, 1, 100, granted(100), name="g1"), take(50, 1, wait(150)), cancel(60, "g1", "returned"),
            take(60, 1, wait(40)), take(100, 1, granted(100), name="g2"), cancel(100, "g2", "started"), take(100, 1, wait(100)),
        ],
    )


def settling_cases():
    yield case(
        "What was not used comes back, what was used beyond the estimate counts, and the last word holds", "while the grant is in the window", (5, 4800),
        [
            take(0, 5, granted(0), name="g1"), settle(10, "g1", 2), remaining(10, 3), settle(20, "g1", 8), remaining(20, 0),
            take(20, 1, wait(4780)), settle(30, "g1", 4), remaining(30, 1), take(30, 1, granted(30)), remaining(4830, 5),
        ],
        by_hand="5 - 2 = 3; 8 is above 5 until 4800; 5 - 4 = 1; 30 is in the group of 0, so that both count until 4830",
    )


def random_case(draws, size):
    steps, now = [], 0
    for _ in range(150):
        now = max(0, now + draws.below(size[1] // 6 + 3) - size[1] // 50)
        kind, cost = draws.below(6), 1 + draws.below(size[0] // 5 + 1)
        step = {"at_ms": now, "call": "take" if kind else "remaining"}
        if kind:
            step["cost"] = cost
        if kind == 1:
            step |= {"call": "reserve", "max_wait_ms": draws.below(size[1])}
        steps.append(step)
    return case(f"Random steps, up to {size[0]} in {size[1]} ms", "made by the reference", size, steps)


def vectors():
    draws = Draws(11)
    cases = [*taking_cases(), *booking_cases(), *settling_cases()]
    cases += [random_case(draws, size) for size in ((20, 1000), (7, 60000), (100, 48), (10, 7))]
    return {"about": ABOUT, "cases": cases}
