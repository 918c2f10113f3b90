"""Scenarios of several limits that are taken together."""

from . import limits_boundaries
from .bucket import cancel, settle
from .draws import Draws
from .limits import Limits, granted, never, wait
from .limits_steps import at, bucket, case, change, remaining, reserve, take, window

ABOUT = (
    "A list of limits, each of a kind (bucket or window) with its rule, and steps at their instants. "
    "take(costs) and reserve(costs, max_wait_ms), a cost for each limit and 0 where it is not asked, answer "
    "granted with the start, wait with the limit that is waited for longest (by its place), or never with "
    "the limit that is too small; a grant is kept under the name in `as`. cancel(grant) answers returned or "
    "started, settle(grant, actual of each limit) null, remaining a number for each. change(limits, inherit) "
    "answers null: a limit with `from` goes on from the one that stood at that place, one without is new; "
    "the take behind it is at the same instant, since in Redis it brings the rules. Compare each answer."
)


def together_cases():
    yield case(
        "What one refuses costs nothing at the others", "2 requests a second, and 100 tokens of which 10 a second come back",
        [window(2, 1000), bucket(100, 10, 1000)],
        [
            take(0, [1, 60], granted(0)), take(0, [1, 60], wait(2000, 1)), remaining(0, [1, 40]), take(0, [1, 40], granted(0)),
            take(0, [1, 1], wait(1000, 0), "the tokens would be there after 100"), remaining(1000, [2, 10]),
        ],
        by_hand="60 - 40 = 20 tokens are there after 2000 ms; 1000 > 100",
    )
    yield case(
        "Of equal waits the first is named", "both have one again after 100", [bucket(1, 1, 100), window(1, 100), bucket(1, 1, 100)],
        [take(0, [1, 1, 1], granted(0)), take(0, [1, 1, 1], wait(100, 0)), take(0, [0, 1, 1], wait(100, 1)), take(0, [0, 0, 1], wait(100, 2))],
    )
    yield case(
        "Among buckets too, and nothing is asked for at no cost", "as above, once they have been used", [bucket(1, 1, 100), bucket(2, 1, 100)],
        [
            take(0, [1, 2], granted(0)), take(0, [1, 1], wait(100, 0)), take(0, [0, 1], wait(100, 1)), take(0, [1, 2], wait(200, 1)),
            take(0, [0, 0], {"error": "cost"}), take(100, [1, 1], granted(100)),
        ],
    )
    yield case(
        "Never is said at once, of the first that is too small", "whatever the others would say", [bucket(5, 1, 100), window(3, 100)],
        [
            take(0, [5, 0], granted(0)), take(0, [6, 4], never(0)), take(0, [5, 4], never(1)), reserve(0, [1, 4], 1000, never(1)),
            remaining(0, [0, 3]),
        ],
    )
    yield case(
        "A limit of cost 0 is not asked", "though it has nothing left", [bucket(1, 1, 100), window(1, 100)],
        [
            take(0, [0, 0], {"error": "cost"}, "one cost at least is above 0"), take(0, [1, 0], granted(0)), take(0, [0, 1], granted(0)),
            take(0, [1, 0], wait(100, 0)), take(0, [0, 1], wait(100, 1)),
        ],
    )
    yield case(
        "A refusal changes nothing, the clock included", "the window of 0 ends at 100, whatever was asked at 500",
        [bucket(1, 1, 1000), window(5, 100)],
        [take(0, [1, 1], granted(0)), take(500, [1, 1], wait(500, 0)), take(100, [0, 5], granted(100)), take(100, [0, 1], wait(100, 1))],
    )
    yield case(
        "All are asked at the latest instant that one was written with", "100 is before 500", [bucket(2, 1, 100), window(2, 1000)],
        [
            take(500, [0, 1], granted(500)), take(100, [1, 0], granted(500)), take(100, [2, 0], wait(100, 0)), remaining(100, [1, 1]),
            take(599, [2, 0], wait(1, 0)), take(600, [2, 0], granted(600)),
        ],
    )
    yield case(
        "One that starts empty fills from the first call on, though that is refused", "and one that joins, from its first instant on",
        [bucket(2, 1, 100, "empty"), window(5, 1000)],
        [
            take(1000, [1, 1], wait(100, 0)), take(1099, [1, 1], wait(1, 0)), take(1100, [1, 1], granted(1100)),
            change(1100, "keep", bucket(2, 1, 100, "empty", **{"from": 0}), window(5, 1000, **{"from": 1}), bucket(1, 1, 50, "empty")),
            take(1100, [0, 1, 1], wait(50, 2)), take(1150, [0, 1, 1], granted(1150)),
        ],
    )


def booking_cases():
    yield case(
        "A reservation starts when the last of them has it", "the second has one again at 300", [bucket(1, 1, 100), bucket(1, 1, 300)],
        [
            take(0, [1, 1], granted(0)), reserve(0, [1, 1], 299, wait(300, 1)), reserve(0, [1, 1], 300, granted(300)),
            take(100, [1, 0], wait(300, 0), "until 300 what is booked fills the first"), take(399, [1, 0], wait(1, 0)),
            take(400, [1, 0], granted(400)),
        ],
        by_hand="the first is full with what is booked from 100 to 300; 1 more is there at 400",
    )
    yield case(
        "Where there is room beside what is booked, others go before it", "the first holds 2, of which 1 is booked for 300",
        [bucket(2, 1, 100), bucket(1, 1, 300)],
        [
            take(0, [2, 1], granted(0)), reserve(0, [1, 1], 300, granted(300)), take(199, [1, 0], wait(1, 0)), take(200, [1, 0], granted(200)),
            take(300, [1, 0], granted(300)), take(300, [1, 0], wait(100, 0)),
        ],
        by_hand="2 + 300 / 100 = 5 by 300, of which 2 + 1 + 1 were taken and 1 booked",
    )
    yield case(
        "Nobody passes what is booked in a window", "it has room for one more at 300, and not before", [window(2, 100), bucket(1, 1, 300)],
        [
            take(0, [1, 1], granted(0)), reserve(0, [1, 1], 300, granted(300)), take(0, [1, 0], wait(300, 0)), take(300, [1, 0], granted(300)),
            take(300, [1, 0], wait(100, 0)),
        ],
    )
    yield case(
        "What is cancelled before its start comes back everywhere", "as if it had not been booked", [bucket(2, 1, 100), bucket(1, 1, 300), window(3, 600)],
        [
            take(0, [2, 1, 1], granted(0)), reserve(0, [1, 1, 2], 300, granted(300), name="g1"), remaining(100, [0, 0, 0]),
            cancel(100, "g1", "returned"), remaining(100, [1, 0, 2]), reserve(100, [2, 1, 1], 300, granted(300), name="g2"),
            cancel(300, "g2", "started"), remaining(300, [0, 0, 1]),
        ],
        by_hand="0 + 1 = 1 and 1 / 3 at 100; 2 and 1 at 300; 3 - 1 - 1 = 1",
    )


def settling_cases():
    yield case(
        "Each is settled for itself, and the last word counts", "60 requests, 100 tokens", [window(60, 1000), bucket(100, 10, 1000)],
        [
            take(0, [1, 50], granted(0), name="g1"), settle(0, "g1", [1, 20]), remaining(0, [59, 80]), settle(0, "g1", [1, 130]),
            remaining(0, [59, 0]), take(0, [1, 1], wait(3100, 1)), settle(0, "g1", [3, 20]), remaining(0, [57, 80]),
        ],
        by_hand="100 - 130 = -30, and 31 tokens take 3100 ms",
    )
    yield case(
        "What was not asked for is charged when it turns out to be used", "g1 asked for no tokens, and g2 for nothing else",
        [window(10, 4800), bucket(100, 1, 1000)],
        [
            take(0, [1, 0], granted(0), name="g1"), settle(0, "g1", [1, 30]), remaining(0, [9, 70]), settle(0, "g1", [1, 10]),
            remaining(0, [9, 90]), take(0, [0, 5], granted(0), name="g2"), take(200, [4, 0], granted(200)), settle(300, "g2", [3, 5]),
            remaining(300, [2, 85]), settle(4700, "g2", [2, 5]), remaining(4799, [3, 89]), remaining(4800, [6, 89]),
            remaining(4999, [6, 89]), remaining(5000, [10, 90]),
        ],
        by_hand="10 - 1 - 3 - 4 = 2: the 3 are in the group of 0, with g1; 10 - 1 - 2 - 4 = 3; both leave at 4800, the 4 at 5000",
    )
    yield case(
        "In a window that had nothing of it, it counts in the next group", "nothing was granted there at 0", [bucket(9, 1, 1000), window(10, 4800)],
        [
            take(0, [1, 0], granted(0), name="g1"), take(200, [0, 4], granted(200)), settle(300, "g1", [1, 3]), remaining(300, [8, 3]),
            settle(4700, "g1", [1, 1]), remaining(4700, [9, 5]), remaining(4999, [9, 5]), remaining(5000, [9, 10]),
        ],
        by_hand="10 - 4 - 3 = 3, then 10 - 4 - 1 = 5; all leave at 200 + 4800",
    )


def bucket_changes():
    yield case(
        "Kept: what was consumed of a bucket stays consumed, in whole tokens", "at 50 it lacks 7.5", [bucket(10, 1, 100)],
        [
            take(0, [8], granted(0)), change(50, "keep", bucket(20, 1, 100, **at(0))), take(50, [1], granted(50)), remaining(50, [11]),
            change(50, "keep", bucket(5, 1, 100, **at(0))), take(50, [1], wait(500, 0)),
        ],
        by_hand="20 - 8 - 1 = 11; 5 - 9 = -4, and 5 tokens take 500 ms",
    )
    yield case(
        "Proportional: the same share is left, rounded down", "7 of 10 are 2.8 of 4", [bucket(10, 1, 100)],
        [take(0, [3], granted(0)), change(0, "proportional", bucket(4, 1, 100, **at(0))), take(0, [1], granted(0)), remaining(0, [1])],
        by_hand="2 - 1 = 1",
    )
    yield case(
        "Proportional: what is owed stays owed", "3 too much", [bucket(10, 1, 100)],
        [
            take(0, [10], granted(0), name="g1"), settle(0, "g1", [13]), change(0, "proportional", bucket(20, 1, 100, **at(0))),
            take(0, [1], wait(400, 0)),
        ],
        by_hand="-3, and 4 tokens take 400 ms",
    )
    for inherit, expect, left, by_hand in (
        ("keep", granted(0), 6, "20 - 10 - 3 - 1 = 6"),
        ("proportional", wait(400, 0), 0, "0 of 10 is 0 of 20, less 3 that are booked"),
        ("full", granted(0), 16, "20 - 3 - 1 = 16"),
        ("empty", wait(400, 0), 0, "0 - 3, and 4 tokens take 400 ms"),
    ):
        yield case(
            f"{inherit.capitalize()}: what is booked in a bucket stays booked", "10 of 10 are consumed, 3 booked for 300", [bucket(10, 1, 100)],
            [
                take(0, [10], granted(0)), reserve(0, [3], 300, granted(300), name="g1"), change(0, inherit, bucket(20, 1, 100, **at(0))),
                take(0, [1], expect), remaining(0, [left]), cancel(299, "g1", "returned"),
            ],
            by_hand=by_hand,
        )
    yield case(
        "The same rule in other words changes nothing", "2 each 200 ms are 1 each 100, and half a token stays", [bucket(10, 2, 200), window(5, 1000)],
        [
            take(0, [5, 2], granted(0)), change(50, "empty", bucket(10, 1, 100, **at(0)), window(5, 1000, **at(1))),
            take(50, [1, 1], granted(50)), remaining(99, [4, 2]), remaining(100, [5, 2]),
        ],
        by_hand="5.5 - 1 = 4.5 at 50",
    )


def window_changes():
    used = [take(0, [2], granted(0)), take(1000, [3], granted(1000))]
    for inherit, capacity, expect, left, by_hand in (
        ("keep", 20, granted(2000), [14, 14, 16, 19, 20], "20 - 2 - 3 - 1; the 2 leave at 4800, the 3 at 5800, the 1 at 6800"),
        ("proportional", 5, granted(2000), [1, 1, 2, 4, 5], "5 of 10 are 2.5 of 5, so 3; the newest 3 are 1.5, so 2"),
        ("full", 20, granted(2000), [19, 19, 19, 19, 20], "20 - 1"),
        ("empty", 20, wait(2800, 0), [0, 0, 2, 5, 20], "15 more at 2000"),
    ):
        yield case(
            f"{inherit.capitalize()}: what a changed window counts", "2 at 0 and 3 at 1000 of 10", [window(10, 4800)],
            [
                *used, change(2000, inherit, window(capacity, 4800, **at(0))), take(2000, [1], expect),
                *(remaining(instant, [number]) for instant, number in zip((2000, 4799, 4800, 5800, 6800), left)),
            ],
            by_hand=by_hand,
        )
    for inherit, left, without in (("keep", 6, 10), ("proportional", 0, 0), ("full", 16, 20), ("empty", 0, 4)):
        yield case(
            f"{inherit.capitalize()}: nobody passes what is booked, and it stays", "10 of 10 are consumed, 4 booked for 4800", [window(10, 4800)],
            [
                take(0, [10], granted(0)), reserve(100, [4], 4800, granted(4800), name="g1"), change(200, inherit, window(20, 4800, **at(0))),
                take(200, [16], wait(4800 if inherit == "empty" else 4600, 0)), remaining(200, [left]), cancel(300, "g1", "returned"),
                remaining(300, [without]),
            ],
            by_hand="at 4800 the 10 have left (20 of them where it is proportional): 4 + 16 = 20. Empty: 6 more at 200, until 5000",
        )
    yield case(
        "A longer window does not bring back what has left", "4 at 0 left at 1000", [window(4, 1000)],
        [take(0, [4], granted(0)), change(1000, "keep", window(4, 5000, **at(0))), take(1000, [4], granted(1000)), take(1000, [1], wait(5000, 0))],
    )
    yield case(
        "A shorter window forgets what it does not reach", "4 at 0 would leave at 5000", [window(4, 5000)],
        [
            take(0, [4], granted(0)), change(999, "keep", window(4, 1000, **at(0))), take(999, [1], wait(1, 0)), take(1000, [4], granted(1000)),
            take(1000, [1], wait(1000, 0)),
        ],
    )


def list_changes():
    yield case(
        "After full, a grant from before counts no more in a window, and comes back to a bucket", "8 were consumed at 200",
        [bucket(10, 1, 100), window(10, 4800)],
        [
            take(200, [8, 8], granted(200), name="g1"), change(201, "full", bucket(9, 1, 100, **at(0)), window(9, 4800, **at(1))),
            take(201, [5, 5], granted(201)), settle(201, "g1", [2, 2]), remaining(201, [9, 4], "9 - 5 + 6 is above 9"),
            take(201, [9, 4], granted(201)), take(201, [0, 1], wait(4800, 1)), settle(201, "g1", [2, 100]), take(5001, [0, 9], granted(5001)),
        ],
        by_hand="2 + 5 + 9 = 16 of the bucket's at most 8 + 9 = 17; 9 - 5 = 4 of the window's",
    )
    yield case(
        "What had left a shorter window is not taken off what counts in a longer one", "10 at 0 had left at 1000", [window(10, 1000)],
        [
            take(0, [10], granted(0), name="g1"), change(1000, "keep", window(10, 5000, **at(0))), take(1000, [9], granted(1000)),
            settle(1000, "g1", [0]), remaining(1000, [1]), settle(1000, "g1", [3]), remaining(1000, [1]), take(1000, [2], wait(5000, 0)),
        ],
        by_hand="10 - 9 = 1, whatever g1 is settled to",
    )
    yield case(
        "What is still in the shorter window is settled as ever in the longer one", "10 at 1 would leave at 1001", [window(10, 1000)],
        [
            take(1, [10], granted(1), name="g1"), change(1000, "keep", window(20, 5000, **at(0))), take(1000, [9], granted(1000)),
            settle(1000, "g1", [3]), remaining(1000, [8]), settle(4999, "g1", [4]), remaining(5000, [7]), remaining(5001, [11]),
        ],
        by_hand="20 - 3 - 9 = 8; 20 - 4 - 9 = 7; 20 - 9 = 11",
    )
    yield case(
        "Limits change their places, join and leave", "each goes on from where it stood", [bucket(5, 1, 100), window(5, 1000)],
        [
            take(0, [2, 3], granted(0), name="g1"),
            change(0, "full", window(5, 1000, **at(1)), bucket(7, 1, 100), bucket(5, 1, 100, **at(0))),
            take(0, [1, 1, 1], granted(0)), remaining(0, [1, 6, 2]), settle(0, "g1", [1, 1, 1]), remaining(0, [3, 5, 3]),
            change(0, "empty", bucket(5, 1, 100, **at(2))), take(0, [1], granted(0)), remaining(0, [2]),
            change(0, "keep", window(5, 1000), bucket(5, 1, 100, **at(0))), take(0, [5, 1], granted(0)), remaining(0, [0, 1]),
        ],
        by_hand="5 - 3 - 1 = 1, 7 - 1 = 6, 5 - 2 - 1 = 2; then 3 -> 1, 0 -> 1, 2 -> 1; 3 - 1 = 2; 2 - 1 = 1, and the window is a new one",
    )


def random_limit(draws):
    if draws.below(2) == 0:
        return bucket(3 + draws.below(20), 1 + draws.below(5), 1 + draws.below(300))
    return window(3 + draws.below(20), 1 + draws.below(6000))


def changed_limit(draws, rule):
    """The same or other numbers for a limit of the same kind."""
    rule = {**rule, "capacity": 3 + draws.below(20)} if draws.below(3) > 0 else dict(rule)
    period = "window_ms" if rule["kind"] == "window" else "period_ms"
    if draws.below(3) == 0:
        rule[period] = 1 + draws.below(20 * rule[period])
    return rule


def random_case(draws, number, count, is_changing):
    """Draws steps that the reference plays meanwhile, so that cancels and settles have their grants."""
    limits = [random_limit(draws) for _ in range(count)]
    subject, rules, now, steps, open_grants = Limits(limits), limits, 1000, [], []

    def ask(**step):
        answer = getattr(subject, step["call"])(**{field: value for field, value in step.items() if field != "call"})
        if "as" in step and answer["outcome"] == "granted":
            open_grants.append(step["as"])
        steps.append(step)

    for turn in range(130):
        now += draws.below(300) * draws.below(3) - 20 * (draws.below(10) == 0)
        kind, named = draws.below(12), {"as": f"g{turn}"}
        costs = [draws.below(1 + rule["capacity"] // 4) for rule in rules]
        costs[draws.below(len(costs))] += 1
        if kind < 4:
            ask(at_ms=now, call="take", costs=costs, **named)
        elif kind < 7:
            ask(at_ms=now, call="reserve", costs=costs, max_wait_ms=draws.below(3000), **named)
        elif kind == 7:
            ask(at_ms=now, call="remaining")
        elif kind == 8 and open_grants:
            grant = draws.one_of([one for one in open_grants if subject.starts[one] > now] or open_grants)
            open_grants.remove(grant)
            ask(at_ms=now, call="cancel", grant=grant)
        elif kind in (9, 10) and open_grants:
            grant = draws.one_of(open_grants[-5:])
            ask(at_ms=now, call="settle", grant=grant, actual=[draws.below(rule["capacity"] + 3) for rule in rules])
        elif is_changing and kind == 11 and draws.below(2) == 0:
            places = [place for place in range(len(rules)) if len(rules) < 2 or draws.below(6) > 0] or [0]
            changed = [{**changed_limit(draws, rules[place]), "from": place} for place in places]
            changed += [random_limit(draws)] if len(changed) < 4 and draws.below(4) == 0 else []
            # Behind all that was granted, so that each grant is clearly from before or from behind.
            now = subject.now(now) + 1
            ask(at_ms=now, call="change", limits=changed, inherit=draws.one_of(["keep", "proportional", "full", "empty"]))
            rules = [{field: value for field, value in rule.items() if field != "from"} for rule in changed]
            costs = [0] * (len(rules) - 1) + [1]
            ask(at_ms=now, call="take", costs=costs, **named)
    changes = "with" if is_changing else "without"
    return case(f"Random steps of {count} limits {changes} changes, {number}", "made by the reference", limits, steps)


def vectors():
    draws = Draws(12)
    cases = [*together_cases(), *booking_cases(), *settling_cases(), *bucket_changes(), *window_changes(), *list_changes(), *limits_boundaries.cases()]
    random = ((1, True), (2, True), (2, False), (3, True), (3, False), (4, True))
    cases += [random_case(draws, number, *how) for number, how in enumerate(random, 1)]
    return {"about": ABOUT, "cases": cases}
