"""Random, weighted random, round robin, shuffle, no repeat."""

from .draws import Draws
from .replay import scenario

ABOUT = (
    "Rows: random(count, draw) and weighted_random(weights, draw) answer an index or null. Scenarios: "
    "what `new` names under `rotation`, and its steps. round_robin next(upstreams), shuffle "
    "next(upstreams, draw) and no_repeat next(candidates, draw) at their instants answer; an upstream "
    "is answered by its index (the first, where it is listed twice), no upstream by null. Compare "
    "each answer."
)


def random(count, draw):
    return draw % count if count else None


def weighted_random(weights, draw):
    if sum(weights) == 0:
        return None
    left = draw % sum(weights)
    for index, weight in enumerate(weights):
        if left < weight:
            return index
        left -= weight


def first_of_each(names):
    return [index for index, name in enumerate(names) if name not in names[:index]]


class RoundRobin:
    def __init__(self, rotation):
        self.turn = 0

    def next(self, upstreams):
        if not upstreams:
            return None
        index = self.turn if self.turn < len(upstreams) else 0
        self.turn = index + 1
        return index


class Shuffle:
    def __init__(self, rotation, no_boundary_repeat):
        self.no_boundary_repeat, self.taken, self.last = no_boundary_repeat, [], None

    def next(self, upstreams, draw):
        if not upstreams:
            return None
        listed = first_of_each(upstreams)
        eligible = [index for index in listed if upstreams[index] not in self.taken]
        if not eligible:
            self.taken = []
            others = [index for index in listed if upstreams[index] != self.last]
            eligible = others if self.no_boundary_repeat and others else listed
        index = eligible[draw % len(eligible)]
        self.last = upstreams[index]
        self.taken.append(self.last)
        return index


class NoRepeat:
    def __init__(self, rotation, by, only_one, gap_ms=None):
        self.by, self.only_one, self.gap_ms = by, only_one, gap_ms
        self.clock, self.previous, self.used_ms = 0, None, 0
        self.previous_declared, self.observed = None, {}

    def identities(self, upstream, declared):
        if self.by == "upstream":
            return {upstream}
        return {exit for exit in (declared, self.observed.get(upstream)) if exit is not None}

    def next(self, at_ms, candidates, draw):
        now = max(at_ms, self.clock)
        listed = first_of_each([one["upstream"] for one in candidates])
        if not listed:
            return {"outcome": "empty"}
        used = set() if self.previous is None else self.identities(self.previous, self.previous_declared)
        own = lambda index: self.identities(candidates[index]["upstream"], candidates[index].get("exit"))
        eligible = [index for index in listed if not own(index) & used]
        repeated = not eligible
        if repeated and self.only_one == "fail":
            return {"outcome": "no_different"}
        if repeated and self.only_one == "wait" and now < self.used_ms + self.gap_ms:
            return {"outcome": "wait", "retry_after_ms": self.used_ms + self.gap_ms - now}
        eligible = eligible or listed
        index = eligible[weighted_random([candidates[i].get("weight", 1) for i in eligible], draw)]
        self.clock = self.used_ms = now
        self.previous = candidates[index]["upstream"]
        self.previous_declared = candidates[index].get("exit")
        return {"outcome": "upstream", "index": index, "repeated": repeated}

    def observe(self, at_ms, upstream, exit):
        self.observed[upstream] = exit


def pure_cases():
    rows = [
        {"count": 0, "draw": 7, "expect": None, "by_hand": "none of none"},
        {"count": 3, "draw": 7, "expect": 1, "by_hand": "7 = 2 * 3 + 1"},
    ]
    for count in (1, 2, 3, 7, 10, 1000, 65535):
        for draw in (0, 1, count - 1, count, 2**53 - 1):
            rows.append({"count": count, "draw": draw, "expect": random(count, draw)})
    yield {"name": "The index is the remainder of the draw", "call": "random", "rows": rows}
    rows = [
        {"weights": [2, 1, 1], "draw": 6, "expect": 1, "by_hand": "6 mod 4 = 2; 2 is not below 2, but below 3"},
        {"weights": [0, 0], "draw": 5, "expect": None, "by_hand": "the sum is 0"},
        {"weights": [], "draw": 5, "expect": None, "by_hand": "the sum is 0"},
    ]
    for weights in ([1], [8, 1, 1], [0, 1, 0, 2, 0], [65535, 65535, 1], [3, 0, 3]):
        total = sum(weights)
        for draw in (0, weights[0], total // 2, total - 1, total, total + 1, 2**53 - 1):
            rows.append({"weights": weights, "draw": draw, "expect": weighted_random(weights, draw)})
    name = "The first whose cumulative weight is above the remainder of the draw"
    yield {"name": name, "call": "weighted_random", "rows": rows}


def turn(upstreams, expect, draw=None, reason=None):
    step = {"call": "next", "upstreams": upstreams}
    if draw is not None:
        step["draw"] = draw
    step["expect"] = expect
    return step if reason is None else {**step, "reason": reason}


def round_robin_case():
    abc = ["a", "b", "c"]
    steps = [turn(abc, 0), turn(abc, 1), turn(abc, 2), turn(abc, 0), turn([], None), turn(abc, 1)]
    steps += [turn(["a"], 0, reason="the turn of 2 is beyond this list"), turn(abc, 1)]
    reason = "each in turn; a list that became shorter than the turn begins anew"
    return scenario("Each in turn, round and round", reason, {"rotation": "round_robin"}, RoundRobin, steps)


def shuffle_cases(draws):
    def shuffle(name, reason, no_boundary_repeat, steps, by_hand=None):
        new = {"rotation": "shuffle", "no_boundary_repeat": no_boundary_repeat}
        return scenario(name, reason, new, Shuffle, steps, by_hand)

    abc = ["a", "b", "c"]
    yield shuffle(
        "A pass returns each once, and the next may begin with the last",
        "eligible are those not yet taken, in list order; the index among them is the remainder of the draw",
        False,
        [turn(abc, 1, 1), turn(abc, 2, 1), turn(abc, 0, 1), turn(abc, 0, 3)],
        by_hand="a b c: 1 -> b; a c: 1 -> c; a: 1 mod 1 = 0 -> a; a b c: 3 mod 3 = 0 -> a",
    )
    yield shuffle(
        "Without a repeat at the boundary the last of a pass is not the first of the next",
        "c was last, so that a and b are eligible", True,
        [turn(abc, 0, 0), turn(abc, 1, 0), turn(abc, 2, 0), turn(abc, 0, 2), turn(abc, 2, 1), turn(abc, 1, 5)],
        by_hand="a b: 2 mod 2 = 0 -> a; b c: 1 -> c; b",
    )
    yield shuffle(
        "The only one repeats even where the boundary allows no repeat",
        "there is no other", True, [turn(["x"], 0, 1), turn(["x"], 0, 2), turn(["x", "x"], 0, 3)],
    )
    yield shuffle(
        "One that is taken away is not returned, and one that is added comes at most once in the pass",
        "a was taken; b is gone, d is new: c and d are left", False,
        [
            turn(abc, 0, 0), turn(["a", "c", "d"], 1, 0), turn(["a", "c", "d"], 2, 0),
            turn(["a", "c", "d"], 0, 0, reason="a new pass"), turn([], None, 0),
        ],
    )
    yield shuffle(
        "An empty list in the middle of a pass leaves the pass as it was",
        "a was taken; b and c are left, whoever listed nothing in between", False,
        [turn(abc, 0, 0), turn([], None, 0), turn(abc, 1, 0), turn([], None, 1), turn(abc, 2, 0), turn(abc, 0, 0)],
        by_hand="a b c: 0 -> a; nothing; b c: 0 -> b; nothing; c: 0 -> c; a b c: 0 -> a",
    )
    yield shuffle(
        "A name that is listed twice counts once, at its first place",
        "eligible are a and b", False,
        [turn(["a", "a", "b"], 0, 2), turn(["a", "a", "b"], 2, 0), turn(["b", "a", "a"], 1, 1)],
    )
    for no_boundary_repeat in (False, True):
        steps = []
        for number in range(120):
            names = ["a", "b", "é", "日本", "e"][: 1 + (number // 17) % 5]
            steps.append({"call": "next", "upstreams": names, "draw": draws.draw()})
        name = f"Random draws over a changing list, {'without' if no_boundary_repeat else 'with'} boundary repeats"
        yield shuffle(name, "made by the reference", no_boundary_repeat, steps)


def candidates(*names):
    return [{"upstream": name} for name in names]


def exits(**exit_of):
    return [{"upstream": name, "exit": exit} if exit else {"upstream": name} for name, exit in exit_of.items()]


def ask(at_ms, listed, draw, expect, reason=None):
    step = {"at_ms": at_ms, "call": "next", "candidates": listed, "draw": draw, "expect": expect}
    return step if reason is None else {**step, "reason": reason}


def chosen(index, repeated=False):
    return {"outcome": "upstream", "index": index, "repeated": repeated}


def no_repeat(name, reason, by, only_one, steps, gap_ms=None, by_hand=None):
    new = {"rotation": "no_repeat", "by": by, "only_one": only_one}
    if gap_ms is not None:
        new["gap_ms"] = gap_ms
    return scenario(name, reason, new, NoRepeat, steps, by_hand)


def upstream_cases():
    abc, a = candidates("a", "b", "c"), candidates("a")
    yield no_repeat(
        "The previous one is not eligible", "of the two others, in list order, the remainder of the draw",
        "upstream", "fail",
        [ask(0, abc, 0, chosen(0)), ask(0, abc, 0, chosen(1)), ask(0, abc, 1, chosen(2)), ask(0, abc, 3, chosen(1))],
        by_hand="a; b c: 0 -> b; a c: 1 -> c; a b: 3 mod 2 = 1 -> b",
    )
    yield no_repeat(
        "A single candidate fails where that was asked for", "nothing is different from a",
        "upstream", "fail",
        [
            ask(0, a, 0, chosen(0)), ask(1, a, 0, {"outcome": "no_different"}),
            ask(2, candidates("a", "a"), 1, {"outcome": "no_different"}, "listed twice it is still one"),
            ask(3, [], 0, {"outcome": "empty"}, "no candidate is another answer"),
            ask(4, candidates("b", "a"), 0, chosen(0)), ask(5, candidates("x", "y"), 1, chosen(1), "b is not listed"),
        ],
    )
    yield no_repeat(
        "A single candidate is reused where that was asked for", "and said to be repeated",
        "upstream", "reuse",
        [ask(0, a, 0, chosen(0)), ask(0, a, 0, chosen(0, True)), ask(0, candidates("b", "a"), 1, chosen(0))],
    )
    yield no_repeat(
        "A single candidate is to wait for the gap since its last use where that was asked for",
        "used at 1000, free again at 1500", "upstream", "wait",
        [
            ask(1000, a, 0, chosen(0)),
            ask(1000, a, 0, {"outcome": "wait", "retry_after_ms": 500}),
            ask(1499, a, 0, {"outcome": "wait", "retry_after_ms": 1}),
            ask(1500, a, 0, chosen(0, True)),
            ask(1700, a, 0, {"outcome": "wait", "retry_after_ms": 300}, "counted from 1500"),
            ask(1200, a, 0, {"outcome": "wait", "retry_after_ms": 500}, "decided at 1500: time does not go back"),
            ask(1701, candidates("a", "b"), 0, chosen(1), "another one need not wait"),
        ],
        gap_ms=500, by_hand="1000 + 500 - 1499 = 1; 1500 + 500 - 1700 = 300",
    )
    weighted = [{"upstream": "a", "weight": 8}, {"upstream": "b", "weight": 1}, {"upstream": "c", "weight": 1}]
    yield no_repeat(
        "Weights hold among the eligible", "after a: b and c, one to one; after b: a and c, eight to one",
        "upstream", "fail",
        [
            ask(0, weighted, 7, chosen(0)), ask(0, weighted, 2, chosen(1)),
            ask(0, weighted, 8, chosen(2)), ask(0, weighted, 17, chosen(1)), ask(0, weighted, 7, chosen(0)),
        ],
        by_hand="7 < 8 -> a; 2 mod 2 = 0 -> b; 8 mod 9 = 8 -> c; 17 mod 9 = 8 -> b; 7 mod 9 = 7 -> a",
    )


def exit_cases():
    shared = exits(e1="X", e2="X", e3="Y")
    yield no_repeat(
        "Upstreams that share an exit repeat one another", "e1 and e2 leave by X", "exit", "fail",
        [ask(0, shared, 0, chosen(0)), ask(0, shared, 1, chosen(2)), ask(0, shared, 1, chosen(1))],
        by_hand="e1 (X); only e3: 1 mod 1 = 0 -> e3; e1 e2: 1 -> e2",
    )
    yield no_repeat(
        "An exit that is not known counts as different", "e2 has none", "exit", "fail",
        [ask(0, exits(e1="X", e2=None), 0, chosen(0)), ask(0, exits(e1="X", e2=None), 0, chosen(1))],
    )
    yield no_repeat(
        "An exit that was observed before the upstream was chosen counts like one observed later",
        "e1 was known to leave by Z when it was chosen", "exit", "fail",
        [
            {"at_ms": 0, "call": "observe", "upstream": "e1", "exit": "Z", "expect": None},
            ask(0, exits(e1="X", e3="Z", e4="Y"), 0, chosen(0)),
            ask(0, exits(e1="X", e3="Z", e4="Y"), 0, chosen(2), "e3 leaves by Z"),
            {"at_ms": 0, "call": "observe", "upstream": "e1", "exit": "W", "expect": None},
            ask(0, exits(e1="X", e3="Z", e4="Y"), 1, chosen(1)),
            ask(0, exits(e1="X", e3="Z", e4="Y"), 0, chosen(0), "W has replaced Z, so that e1 differs from e3"),
        ],
    )
    yield no_repeat(
        "An observed exit stands beside the declared one, not over it",
        "e1 was seen to leave by Z: it repeats both X and Z", "exit", "fail",
        [
            ask(0, exits(e1="X", e2="X", e3="Z", e4="Y"), 0, chosen(0)),
            {"at_ms": 0, "call": "observe", "upstream": "e1", "exit": "Z", "expect": None},
            ask(0, exits(e1="X", e2="X", e3="Z", e4="Y"), 0, chosen(3), "of four only e4 differs"),
            ask(0, exits(e1="X", e2="X", e3="Z", e4="Y"), 2, chosen(2), "Y repeats none of the three"),
            ask(0, exits(e1="X", e2="X", e3="Z", e4="Y"), 0, chosen(1), "after Z: e1 leaves by Z too"),
        ],
    )


def random_case(draws):
    steps = []
    for number in range(150):
        listed = [
            {"upstream": name, "exit": exit, "weight": 1 + draws.below(4)}
            for name, exit in (("a", "X"), ("b", "X"), ("c", "Y"), ("d", "Z"))
            if draws.below(4)
        ]
        steps.append({"at_ms": 10 * number, "call": "next", "candidates": listed, "draw": draws.draw()})
    name = "Random draws over a changing list, by exit"
    return no_repeat(name, "made by the reference", "exit", "wait", steps, gap_ms=25)


def vectors():
    scenarios = [round_robin_case(), *shuffle_cases(Draws(2)), *upstream_cases(), *exit_cases(), random_case(Draws(4))]
    return {"about": ABOUT, "cases": [*pure_cases(), *scenarios]}
