"""Cumulative counts: the least used for its weight first."""

from fractions import Fraction

from .draws import Draws
from .replay import scenario

ABOUT = (
    "A table made with a draw, and steps without time. add(upstream, weight, join) answers null, "
    "remove a boolean, pick(excluded) an outcome, count a number or null, record(upstream, times) a "
    "boolean. Compare each answer."
)

LARGEST = 2**53 - 1


class LeastUsed:
    """Members keep their places when they leave, so that the round goes on where it was."""

    def __init__(self, draw):
        self.draw, self.cursor, self.members = draw, None, {}

    def joined(self):
        return {name: one for name, one in self.members.items() if one["joined"]}

    def add(self, upstream, weight, join):
        own = self.members.get(upstream, {"count": 0})["count"]
        used = [Fraction(one["count"], one["weight"]) for one in self.joined().values() if one["weight"]]
        floor = int(min(used, default=Fraction(0)) * weight)
        count = {"floor": max(own, floor), "keep": own, "zero": 0}[join]
        self.members.setdefault(upstream, {})
        self.members[upstream].update(weight=weight, count=count, joined=True)

    def remove(self, upstream):
        was_there = upstream in self.joined()
        if was_there:
            self.members[upstream]["joined"] = False
        return was_there

    def pick(self, excluded):
        joined = self.joined()
        if not joined:
            return {"outcome": "empty"}
        places = list(self.members)
        if self.cursor is None:
            self.cursor = places.index(list(joined)[self.draw % len(joined)])
        eligible = [name for name, one in joined.items() if one["weight"] and name not in excluded]
        if not eligible:
            return {"outcome": "all_excluded"}

        def rank(name):
            one = joined[name]
            away = (places.index(name) - self.cursor) % len(places)
            return Fraction(one["count"], one["weight"]), -one["weight"], away

        picked = min(eligible, key=rank)
        self.members[picked]["count"] += 1
        self.cursor = places.index(picked) + 1
        return {"outcome": "upstream", "upstream": picked}

    def count(self, upstream):
        one = self.joined().get(upstream)
        return one and one["count"]

    def record(self, upstream, times):
        if upstream not in self.joined():
            return False
        self.members[upstream]["count"] += times
        return True


def add(upstream, weight=1, join="floor"):
    return {"call": "add", "upstream": upstream, "weight": weight, "join": join, "expect": None}


def pick(upstream, excluded=(), reason=None):
    expect = {"outcome": "upstream", "upstream": upstream}
    step = {"call": "pick", "excluded": list(excluded), "expect": expect}
    return step if reason is None else {**step, "reason": reason}


def refused(outcome, excluded=()):
    return {"call": "pick", "excluded": list(excluded), "expect": {"outcome": outcome}}


def remove(upstream, expect):
    return {"call": "remove", "upstream": upstream, "expect": expect}


def count(upstream, expect):
    return {"call": "count", "upstream": upstream, "expect": expect}


def record(upstream, times, expect):
    return {"call": "record", "upstream": upstream, "times": times, "expect": expect}


def case(name, reason, draw, steps, by_hand=None):
    return scenario(name, reason, {"draw": draw}, LeastUsed, steps, by_hand)


def picking_cases():
    yield case(
        "An empty table picks none, and that is another answer than all excluded",
        "there is nobody; then there is one, but excluded or of weight 0", 5,
        [
            refused("empty"), count("a", None), add("a"), refused("all_excluded", ["a"]), count("a", 0),
            remove("a", True), refused("empty"), add("b", 0), refused("all_excluded"),
        ],
    )
    yield case(
        "A single one is picked each time and counted", "it is the least used of one", 9,
        [add("a"), pick("a"), pick("a"), pick("a"), count("a", 3)],
    )
    yield case(
        "Equal ones take turns, beginning at the draw", "five of three: 5 mod 3 = 2 is c, then on from there", 5,
        [add("a"), add("b"), add("c"), *[pick(name) for name in "cabcab"], count("c", 2)],
        by_hand="counts 0 0 0: c; 0 0 1: a before b, counted from c; then b; and again from c",
    )
    yield case(
        "Among equal ones the order in which they joined decides, not their names",
        "all at 0, from the first", 0,
        [*[add(name) for name in ("b", "a", "B", "é", "10", "9")], *[pick(name) for name in ("b", "a", "B", "é", "10", "9", "b")]],
    )
    yield case(
        "Weights of two to one give two picks in three, never three of the heavy in a row",
        "count over weight decides; of equals the heavier", 0,
        [add("a", 2), add("b", 1), *[pick(name) for name in "abaabaaba"], count("a", 6), count("b", 3)],
        by_hand="0/2 0/1: a; 1/2 0/1: b; 1/2 1/1: a; 2/2 1/1: a, the heavier; 3/2 1/1: b; and so on",
    )
    yield case(
        "An excluded one is passed over and its count does not change",
        "the second lowest is taken", 0,
        [
            add("a"), add("b"), add("c"), pick("b", ["a"]), pick("c", ["a"]), pick("b", ["a"]), count("a", 0),
            pick("a", [], "the lowest"), pick("c", [], "a and c are at 1; the round stands behind a"),
        ],
    )


def joining_cases():
    three = [add("a"), add("b"), record("a", 1000000, True), record("b", 1000001, True)]
    yield case(
        "A new one joins at the least count of the others", "so that it gets its share and no burst", 0,
        [*three, add("c"), count("c", 1000000), pick("a", [], "a and c are equal, the round begins at a"), pick("c", [], "alone at 1000000")],
        by_hand="min(1000000, 1000001) = 1000000",
    )
    yield case(
        "A heavier one joins at the least count for its weight", "5 for a weight of 1 is 10 for a weight of 2", 0,
        [add("a"), record("a", 5, True), add("b", 2), count("b", 10), pick("b", [], "5/1 and 10/2 are equal: the heavier")],
        by_hand="2 * 5 / 1 = 10",
    )
    yield case(
        "One that returns keeps a count that is above the others'", "the larger of its own and the others' least", 0,
        [
            add("a"), add("b"), record("a", 50, True), record("b", 7, True), remove("a", True), remove("a", False),
            count("a", None), add("a"), count("a", 50), pick("b"),
        ],
        by_hand="max(50, 7) = 50",
    )
    yield case(
        "One that returns does not catch up on what it missed", "the larger of its own and the others' least", 0,
        [add("a"), add("b"), record("a", 7, True), remove("a", True), record("b", 50, True), add("a"), count("a", 50)],
        by_hand="max(7, 50) = 50",
    )
    yield case(
        "Where it is asked to, it keeps its count or begins at 0", "keep and zero are the named alternatives", 0,
        [
            add("a"), add("b"), record("a", 7, True), remove("a", True), record("b", 50, True),
            add("a", 1, "keep"), count("a", 7), remove("a", True), add("a", 1, "zero"), count("a", 0),
            add("c", 1, "keep"), count("c", 0),
        ],
    )
    yield case(
        "A late count of one that left brings nobody back", "it is not there", 0,
        [add("a"), remove("a", True), record("a", 5, False), count("a", None), record("b", 1, False), add("a"), count("a", 0)],
    )
    yield case(
        "The round goes on where it was when one leaves", "a was picked, so that b is next, whoever leaves", 0,
        [add("a"), add("b"), add("c"), pick("a"), remove("a", True), pick("b"), pick("c"), pick("b")],
    )


def bound_case():
    steps = [add("a"), add("b"), record("a", LARGEST, True), record("b", LARGEST, True)]
    steps += [pick(name) for name in "abababab"]
    reason = "counts are lowered before one would pass 2^53 - 1, which changes no comparison"
    return case("At the largest count equal ones go on taking turns", reason, 0, steps)


def random_case(draws, draw):
    names = ["a", "b", "é", "日本", "e"]
    steps, present = [], set()
    for _ in range(250):
        name = draws.one_of(names)
        kind = draws.below(12)
        if name not in present and kind < 6:
            present.add(name)
            weight, join = draws.below(4), draws.one_of(("floor", "keep", "zero"))
            steps.append({"call": "add", "upstream": name, "weight": weight, "join": join})
        elif kind == 6 and len(present) > 2:
            present.discard(name)
            steps.append({"call": "remove", "upstream": name})
        elif kind == 7:
            steps.append({"call": "record", "upstream": name, "times": draws.below(5)})
        elif kind == 8:
            steps.append({"call": "count", "upstream": name})
        else:
            excluded = [other for other in names if draws.below(4) == 0]
            steps.append({"call": "pick", "excluded": excluded})
    return case(f"Random steps, beginning at draw {draw}", "made by the reference", draw, steps)


def vectors():
    draws = Draws(6)
    cases = [*picking_cases(), *joining_cases(), bound_case()]
    cases += [random_case(draws, draw) for draw in (0, 1, draws.draw())]
    return {"about": ABOUT, "cases": cases}
