"""Leases: each with its own expiry; in flight is the number of those that are alive."""

from .draws import Draws
from .replay import scenario

ABOUT = (
    "Leases made with a draw, and steps at their instants. acquire(candidates, choice, lease_id, "
    "ttl_ms) and renew(lease_id, ttl_ms) and release(lease_id) answer an outcome, in_flight(upstream) "
    "a number. Compare each answer whole."
)


class Leases:
    def __init__(self, draw):
        self.clock, self.last_fence, self.leases = 0, 0, {}
        self.last_granted, self.start_without_it = None, draw

    def alive(self, now):
        return {name: one for name, one in self.leases.items() if now < one["expires"]}

    def of(self, upstream, now):
        return [one for one in self.alive(now).values() if one["upstream"] == upstream]

    def acquire(self, at_ms, candidates, choice, lease_id, ttl_ms):
        now = max(at_ms, self.clock)
        held = self.alive(now).get(lease_id)
        if held:
            return self.leased(held, True)
        if not candidates:
            return {"outcome": "empty"}
        count = len(candidates)
        loads = [len(self.of(one["upstream"], now)) for one in candidates]
        room = [at for at in range(count) if loads[at] < candidates[at]["max_in_flight"]]
        if not room:
            expiries = [one["expires"] for c in candidates for one in self.of(c["upstream"], now)]
            return {"outcome": "wait", "retry_after_ms": min(expiries) - now}
        if choice == "first":
            chosen = room[0]
        else:
            names = [one["upstream"] for one in candidates]
            start = self.start_without_it
            if self.last_granted in names:
                start = names.index(self.last_granted) + 1
            chosen = min(room, key=lambda at: (loads[at], (at - start) % count))
        self.last_granted, self.start_without_it = candidates[chosen]["upstream"], chosen + 1
        self.clock = now
        self.last_fence = max(self.last_fence + 1, 1000 * now)
        upstream = candidates[chosen]["upstream"]
        self.leases[lease_id] = {"upstream": upstream, "fence": self.last_fence, "expires": now + ttl_ms}
        return self.leased(self.leases[lease_id], False)

    def leased(self, one, repeated):
        return {
            "outcome": "leased", "upstream": one["upstream"], "fence": one["fence"],
            "expires_ms": one["expires"], "repeated": repeated,
        }

    def renew(self, at_ms, lease_id, ttl_ms):
        now = max(at_ms, self.clock)
        held = self.alive(now).get(lease_id)
        if not held:
            return {"outcome": "gone"}
        self.clock = now
        held["expires"] = max(held["expires"], now + ttl_ms)
        return {"outcome": "renewed", "expires_ms": held["expires"], "fence": held["fence"]}

    def release(self, at_ms, lease_id):
        now = max(at_ms, self.clock)
        held = self.alive(now).get(lease_id)
        if not held:
            return {"outcome": "gone"}
        self.clock = now
        del self.leases[lease_id]
        return {"outcome": "released", "upstream": held["upstream"]}

    def in_flight(self, at_ms, upstream):
        return len(self.of(upstream, max(at_ms, self.clock)))


def candidates(**max_in_flight):
    return [{"upstream": name, "max_in_flight": most} for name, most in max_in_flight.items()]


def acquire(at_ms, listed, lease_id, ttl_ms, expect, reason=None, choice="fewest"):
    step = {"at_ms": at_ms, "call": "acquire", "candidates": listed, "choice": choice}
    step |= {"lease_id": lease_id, "ttl_ms": ttl_ms, "expect": expect}
    return step if reason is None else {**step, "reason": reason}


def leased(upstream, fence, expires_ms, repeated=False):
    return {
        "outcome": "leased", "upstream": upstream, "fence": fence,
        "expires_ms": expires_ms, "repeated": repeated,
    }


def wait(retry_after_ms):
    return {"outcome": "wait", "retry_after_ms": retry_after_ms}


def renew(at_ms, lease_id, ttl_ms, *until):
    expect = {"outcome": "gone"}
    if until:
        expect = {"outcome": "renewed", "expires_ms": until[0], "fence": until[1]}
    return {"at_ms": at_ms, "call": "renew", "lease_id": lease_id, "ttl_ms": ttl_ms, "expect": expect}


def release(at_ms, lease_id, upstream=None):
    expect = {"outcome": "gone"} if upstream is None else {"outcome": "released", "upstream": upstream}
    return {"at_ms": at_ms, "call": "release", "lease_id": lease_id, "expect": expect}


def in_flight(at_ms, upstream, expect):
    return {"at_ms": at_ms, "call": "in_flight", "upstream": upstream, "expect": expect}


def case(name, reason, steps, by_hand=None, draw=0):
    return scenario(name, reason, {"draw": draw}, Leases, steps, by_hand)


def life_cases():
    one, two = candidates(a=1), candidates(a=2)
    yield case(
        "A release counts once", "the second finds nothing and changes nothing",
        [
            acquire(0, one, "j1", 100, leased("a", 1, 100)), in_flight(0, "a", 1), in_flight(0, "b", 0),
            release(1, "j1", "a"), in_flight(1, "a", 0), release(1, "j1"), release(1, "stranger"), in_flight(1, "a", 0),
        ],
    )
    yield case(
        "A dead holder counts until its expiry and no longer",
        "alive while now is below the expiry; a refusal says when that is",
        [
            acquire(0, one, "dead", 30000, leased("a", 1, 30000)),
            acquire(29999, one, "next", 10, wait(1)), in_flight(29999, "a", 1), in_flight(30000, "a", 0),
            acquire(30000, one, "next", 10, leased("a", 30000000, 30010)),
        ],
        by_hand="30000 - 29999 = 1; the fence is max(1 + 1, 30000 * 1000)",
    )
    yield case(
        "Each lease expires by itself while others come and go", "the dead one has an expiry of its own",
        [
            acquire(0, two, "dead", 2000, leased("a", 1, 2000)),
            acquire(1000, two, "j1", 2000, leased("a", 1000000, 3000)), in_flight(1999, "a", 2),
            in_flight(2000, "a", 1), acquire(1999, two, "j2", 50, wait(1)), release(1999, "j1", "a"),
            in_flight(1999, "a", 1), in_flight(2000, "a", 0),
        ],
    )
    yield case(
        "Renewed leases refuse a third throughout, and end together with their renewals",
        "each renewal gives 2000 from then",
        [
            acquire(0, two, "j1", 2000, leased("a", 1, 2000)), acquire(0, two, "j2", 2000, leased("a", 2, 2000)),
            renew(1000, "j1", 2000, 3000, 1), renew(1000, "j2", 2000, 3000, 2),
            acquire(2000, two, "j3", 2000, wait(1000)), renew(2000, "j1", 2000, 4000, 1),
            acquire(2999, two, "j3", 2000, wait(1), "j2 was not renewed again"),
            acquire(3000, two, "j3", 2000, leased("a", 3000000, 5000)),
            renew(3000, "j2", 2000), in_flight(3000, "a", 2),
        ],
        by_hand="1000 + 2000 = 3000; 3000 - 2999 = 1",
    )
    yield case(
        "A renewal only lengthens", "the holder was promised the later expiry",
        [
            acquire(0, one, "j1", 1000, leased("a", 1, 1000)), renew(10, "j1", 5, 1000, 1),
            renew(10, "j1", 991, 1001, 1), renew(1000, "j1", 1, 1001, 1), renew(1001, "j1", 100),
        ],
        by_hand="max(1000, 15) = 1000; max(1000, 1001) = 1001; max(1001, 1001) = 1001",
    )
    yield case(
        "A lease that is gone is not granted again by a renewal, and its id may be leased anew",
        "renew answers gone; acquire with the same id is a new lease with a higher fence",
        [
            acquire(0, one, "j1", 10, leased("a", 1, 10)), renew(10, "j1", 10), in_flight(10, "a", 0),
            acquire(10, one, "j1", 10, leased("a", 10000, 20)), release(19, "j1", "a"),
        ],
    )
    yield case(
        "A release that comes after the place was given to another leaves the other alone",
        "the late id is gone",
        [
            acquire(0, one, "slow", 10, leased("a", 1, 10)), acquire(10, one, "new", 100, leased("a", 10000, 110)),
            release(11, "slow"), in_flight(11, "a", 1), acquire(11, one, "j3", 10, wait(99)),
        ],
        by_hand="110 - 11 = 99",
    )


def answer_cases():
    one = candidates(a=1)
    yield case(
        "The same id finds the same lease, whatever the candidates", "a lost reply costs no second lease",
        [
            acquire(0, one, "j1", 100, leased("a", 1, 100)),
            acquire(50, one, "j1", 999, leased("a", 1, 100, True), "nothing changed, the expiry included"),
            acquire(50, candidates(b=1), "j1", 100, leased("a", 1, 100, True)),
            acquire(50, [], "j1", 100, leased("a", 1, 100, True)), in_flight(50, "b", 0),
        ],
    )
    yield case(
        "No candidate is another answer than no room", "there is nothing to wait for",
        [acquire(0, [], "j1", 100, {"outcome": "empty"}), acquire(0, one, "j2", 100, leased("a", 1, 100)), acquire(0, one, "j3", 9, wait(100))],
    )
    yield case(
        "A wait is until the first lease of any candidate ends", "b is free first",
        [
            acquire(0, one, "j1", 500, leased("a", 1, 500)), acquire(0, candidates(b=1), "j2", 300, leased("b", 2, 300)),
            acquire(0, candidates(c=1), "j3", 100, leased("c", 3, 100)), acquire(10, candidates(a=1, b=1), "j4", 9, wait(290)),
        ],
        by_hand="min(500, 300) - 10 = 290; c is no candidate",
    )
    yield case(
        "A lowered maximum refuses until enough are gone, and ends none", "three are in flight, one is allowed",
        [
            *[acquire(0, candidates(a=3), f"j{n}", 100 * n, leased("a", n, 100 * n)) for n in (1, 2, 3)],
            acquire(0, one, "j4", 50, wait(100)), in_flight(0, "a", 3), release(10, "j3", "a"), release(10, "j2", "a"),
            acquire(10, one, "j4", 50, wait(90)), release(10, "j1", "a"), acquire(10, one, "j4", 50, leased("a", 10000, 60)),
        ],
    )
    yield case(
        "The fence rises with every grant, at least to the instant in thousandths",
        "max(last + 1, 1000 * now)",
        [
            acquire(0, candidates(a=9), "j1", 10, leased("a", 1, 10)), acquire(0, candidates(a=9), "j2", 10, leased("a", 2, 10)),
            acquire(1, candidates(a=9), "j3", 10, leased("a", 1000, 11)), acquire(1, candidates(a=9), "j4", 10, leased("a", 1001, 11)),
            acquire(1700000000000, candidates(a=9), "j5", 10, leased("a", 1700000000000000, 1700000000010)),
        ],
    )
    yield case(
        "A clock that goes back neither ends a lease early nor lengthens it",
        "decided with the latest instant written with, 1000",
        [
            acquire(1000, one, "j1", 100, leased("a", 1000000, 1100)), acquire(500, one, "j2", 100, wait(100)),
            in_flight(500, "a", 1), renew(900, "j1", 150, 1150, 1000000), acquire(1149, one, "j2", 100, wait(1)),
            acquire(900, candidates(b=1), "j3", 100, leased("b", 1000001, 1100)),
        ],
        by_hand="1100 - 1000 = 100; 1000 + 150 = 1150; the fence is max(1000000 + 1, 1000 * 1000)",
    )


def choice_cases():
    three = candidates(a=9, b=9, c=9)
    yield case(
        "The fewest live leases win, and equal ones take turns", "a holds three, b and c one each",
        [
            *[acquire(0, candidates(a=9), f"a{n}", 1000, leased("a", n, 1000)) for n in (1, 2, 3)],
            acquire(0, candidates(b=9), "b1", 1000, leased("b", 4, 1000)), acquire(0, candidates(c=9), "c1", 1000, leased("c", 5, 1000)),
            acquire(0, three, "x1", 1000, leased("b", 6, 1000), "equal to c; the round stands behind c, at a"),
            release(0, "x1", "b"), acquire(0, three, "x2", 1000, leased("c", 7, 1000), "the round stands behind b"),
            release(0, "x2", "c"), acquire(0, three, "x3", 1000, leased("b", 8, 1000)),
        ],
        by_hand="the last grant was c, the last of the list: the round begins at a, so b comes before c; then behind b, and again behind c",
    )
    yield case(
        "Fresh leases begin their round at the draw", "5 mod 3 = 2",
        [
            acquire(0, three, "j1", 9, leased("c", 1, 9)), acquire(0, three, "j2", 9, leased("a", 2, 9)),
            acquire(0, three, "j3", 9, leased("b", 3, 9)), acquire(0, three, "j4", 9, leased("c", 4, 9)),
        ],
        draw=5,
    )
    yield from varied_list_cases()
    listed = candidates(b=1, a=2)
    yield case(
        "With the choice first, the order of the list decides", "b until it is full",
        [
            acquire(0, listed, "j1", 100, leased("b", 1, 100), choice="first"),
            acquire(0, listed, "j2", 200, leased("a", 2, 200), choice="first"),
            release(0, "j1", "b"), acquire(0, listed, "j3", 100, leased("b", 3, 100), choice="first"),
            acquire(0, listed, "j4", 100, leased("a", 4, 100), choice="first"), acquire(0, listed, "j5", 9, wait(100), choice="first"),
        ],
    )


def varied_list_cases():
    """The same upstreams in other lists: the turn is that of a name, not of a place."""
    abc, bca = candidates(a=9, b=9, c=9), candidates(b=9, c=9, a=9)
    yield case(
        "Callers that list the upstreams in another order take turns all the same",
        "the round goes on behind the upstream of the last grant, wherever the list has it",
        [
            acquire(0, abc, "j1", 9, leased("a", 1, 9)), release(0, "j1", "a"),
            acquire(0, bca, "j2", 9, leased("b", 2, 9), "behind a, the last of this list: from its beginning"), release(0, "j2", "b"),
            acquire(0, abc, "j3", 9, leased("c", 3, 9)), release(0, "j3", "c"),
            acquire(0, bca, "j4", 9, leased("a", 4, 9)), release(0, "j4", "a"),
            acquire(0, candidates(c=9, a=9), "j5", 9, leased("c", 5, 9)), release(0, "j5", "c"),
            acquire(0, candidates(a=9, c=9, b=9), "j6", 9, leased("b", 6, 9)),
        ],
        by_hand="behind a in b c a: b; behind b in a b c: c; behind c in b c a: a; behind a in c a: c; behind c in a c b: b",
    )
    yield case(
        "Where the upstream of the last grant is not listed, the round goes on from its old place",
        "the place behind it, round the new list",
        [
            acquire(0, abc, "j1", 9, leased("b", 1, 9)), release(0, "j1", "b"),
            acquire(0, candidates(x=9, y=9, z=9), "j2", 9, leased("z", 2, 9), "b stood at 1: from 2"), release(0, "j2", "z"),
            acquire(0, candidates(x=9, y=9), "j3", 9, leased("y", 3, 9), "z stood at 2: from 3 mod 2"), release(0, "j3", "y"),
            acquire(0, candidates(x=9, y=9), "j4", 9, leased("x", 4, 9), "y is listed again: behind it"),
        ],
        draw=1,
        by_hand="1 mod 3 = 1, b; 2 mod 3 = 2, z; 3 mod 2 = 1, y; behind y round to x",
    )
    yield case(
        "Upstreams of which a list leaves some out take turns in it", "a, then b, whatever others were granted before",
        [
            acquire(0, abc, "j1", 9, leased("a", 1, 9)), release(0, "j1", "a"),
            acquire(0, candidates(a=9, b=9), "j2", 9, leased("b", 2, 9)), release(0, "j2", "b"),
            acquire(0, candidates(b=9, c=9), "j3", 9, leased("c", 3, 9)), release(0, "j3", "c"),
            acquire(0, candidates(a=9, b=9), "j4", 9, leased("a", 4, 9), "c stood at 1 and is not listed: from 2 mod 2 = 0"),
        ],
    )
    twice = [*candidates(a=9, b=9), *candidates(a=9, c=9)]
    yield case(
        "One that is listed twice has its turn behind its first place", "a at 0 and 2: behind 0",
        [
            acquire(0, twice, "j1", 9, leased("a", 1, 9)), release(0, "j1", "a"),
            acquire(0, twice, "j2", 9, leased("b", 2, 9)), release(0, "j2", "b"),
            acquire(0, twice, "j3", 9, leased("a", 3, 9), "its second place comes next"), release(0, "j3", "a"),
            acquire(0, twice, "j4", 9, leased("b", 4, 9)),
        ],
        draw=4,
        by_hand="4 mod 4 = 0, a; behind 0: b; behind 1: the second a; behind its first place: b",
    )
    yield case(
        "A grant by the choice first moves the round too", "it was the last",
        [
            acquire(0, abc, "j1", 9, leased("a", 1, 9), choice="first"), release(0, "j1", "a"),
            acquire(0, abc, "j2", 9, leased("b", 2, 9)),
        ],
        draw=2,
    )


def random_case(draws, number):
    steps, now, ids = [], 0, [f"j{n}" for n in range(12)]
    for _ in range(150):
        now = max(0, now + draws.below(40) - 5)
        kind, lease_id, ttl_ms = draws.below(8), draws.one_of(ids), 1 + draws.below(200)
        step = {"at_ms": now, "call": "acquire"}
        if kind < 4:
            listed = [one for one in candidates(a=1 + draws.below(3), b=2, é=1) if draws.below(3)]
            turned = draws.below(3)
            listed = listed[turned:] + listed[:turned]
            step |= {"candidates": listed, "choice": draws.one_of(("fewest", "fewest", "first"))}
            step |= {"lease_id": lease_id, "ttl_ms": ttl_ms}
        elif kind == 4:
            step |= {"call": "renew", "lease_id": lease_id, "ttl_ms": ttl_ms}
        elif kind == 5:
            step |= {"call": "release", "lease_id": lease_id}
        else:
            step |= {"call": "in_flight", "upstream": draws.one_of("abé")}
        steps.append(step)
    return case(f"Random steps, sequence {number}", "made by the reference", steps, draw=draws.draw())


def vectors():
    draws = Draws(7)
    cases = [*life_cases(), *answer_cases(), *choice_cases()]
    return {"about": ABOUT, "cases": cases + [random_case(draws, number) for number in (1, 2)]}
