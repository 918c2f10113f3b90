"""Scenarios at the boundaries of each rule of several limits: each differs where one rule is another one."""

from .bucket import cancel, settle
from .limits import granted, never, wait
from .limits_steps import at, bucket, case, change, remaining, reserve, take, window


def list_cases():
    slower = [bucket(1, 1, 100 * (1 + place)) for place in range(16)]
    yield case(
        "Sixteen limits are taken together, and the slowest is named", "the last has one again after 1600", slower,
        [
            take(0, [1] * 16, granted(0)), take(0, [1] * 16, wait(1600, 15)), take(0, [1] * 15 + [0], wait(1500, 14)),
            take(1599, [0] * 15 + [1], wait(1, 15)), take(1600, [1] * 16, granted(1600)), remaining(1600, [0] * 16),
        ],
        by_hand="16 * 100 = 1600; nobody has taken by 1599",
    )
    yield case(
        "One that starts empty begins to fill though others are asked, but not where the answer is never", "3 is above 2",
        [bucket(2, 1, 100, "empty"), window(5, 1000)],
        [
            take(500, [3, 1], never(0)), take(1000, [0, 1], granted(1000)), take(1099, [1, 0], wait(1, 0)), take(1100, [1, 0], granted(1100)),
        ],
        by_hand="1000 + 100 = 1100, and not 500 + 100",
    )
    yield case(
        "Every call is at the latest instant that a limit was written with", "the clock steps back from 2050, and from 2100",
        [bucket(20, 1, 100), window(5, 1000)],
        [
            take(1000, [15, 1], granted(1000), name="g1"), take(1100, [1, 1], granted(1100)), take(2050, [1, 1], granted(2050)),
            remaining(1500, [13, 3], "the 1 of 1000 has left at 2000"), settle(1500, "g1", [14, 5]), remaining(2050, [14, 3]),
            remaining(2100, [15, 4]), reserve(2050, [0, 4], 50, granted(2100), name="g2"), take(2100, [1, 0], granted(2100)),
            cancel(2099, "g2", "started"), change(1000, "keep", bucket(20, 1, 200, **at(0)), window(5, 1000, **at(1))),
            take(1000, [1, 0], granted(2100)), remaining(2100, [13, 0]),
        ],
        by_hand="20 - 15 + 1 - 1 = 5; 5 + 9.5 - 1 = 13.5 at 2050; 14.5, 15 at 2100; 15 - 1 = 14, of which 6 are consumed; 14 - 1 = 13; 5 - 1 - 4 = 0",
    )


def settling_cases():
    yield case(
        "What was not asked for of a window counts until the grant itself would leave it", "g1 and g2 start at 0",
        [bucket(9, 1, 1000), window(10, 1000)],
        [
            take(0, [1, 0], granted(0), name="g1"), take(0, [1, 0], granted(0), name="g2"), take(500, [0, 4], granted(500)),
            settle(999, "g1", [1, 3]), remaining(999, [7, 3]), settle(1000, "g2", [1, 3]), remaining(1000, [8, 3]),
            remaining(1499, [8, 3]), remaining(1500, [8, 10]),
        ],
        by_hand="10 - 4 - 3 = 3, with the group of 500; at 1000 = 0 + 1000 g2 is no longer in the window",
    )
    yield case(
        "In a window that nobody has asked, it is a group of its own start", "g1 starts at 0", [bucket(9, 1, 1000), window(10, 1000)],
        [
            take(0, [1, 0], granted(0), name="g1"), settle(100, "g1", [1, 3]), remaining(100, [8, 7]), settle(200, "g1", [1, 2]),
            remaining(200, [8, 8]), remaining(999, [8, 8]), remaining(1000, [9, 10]),
        ],
        by_hand="10 - 3 = 7, 10 - 2 = 8; 0 + 1000 = 1000",
    )
    yield case(
        "It counts in the group within which its start lies", "g1 starts at 50, within 0 to 90", [bucket(9, 1, 1000), window(10, 4800)],
        [
            take(0, [0, 1], granted(0)), take(50, [1, 0], granted(50), name="g1"), take(90, [0, 1], granted(90)), take(200, [0, 2], granted(200)),
            settle(300, "g1", [1, 3]), remaining(4889, [9, 3]), remaining(4890, [9, 8]), remaining(5000, [9, 10]),
        ],
        by_hand="10 - 1 - 1 - 2 - 3 = 3; 2 + 3 leave at 90 + 4800",
    )
    yield case(
        "Behind all groups it joins the last, where a grant of its start would have", "60 is less than 100 after 0", [bucket(9, 1, 1000), window(10, 4800)],
        [
            take(0, [0, 1], granted(0)), take(60, [1, 0], granted(60), name="g1"), settle(100, "g1", [1, 3]), remaining(100, [8, 6]),
            remaining(4859, [9, 6]), remaining(4860, [9, 10]),
        ],
        by_hand="10 - 1 - 3 = 6; all leave at 60 + 4800",
    )


def bucket_changes():
    for inherit, left in (("full", 5), ("empty", 0)):
        steps = [take(0, [10], granted(0), name="g1"), settle(0, "g1", [13]), change(0, inherit, bucket(5, 1, 100, **at(0)))]
        steps += [take(0, [left], granted(0))] if left > 0 else []
        yield case(
            f"{inherit.capitalize()}: what is owed is forgotten", "3 too much", [bucket(10, 1, 100)],
            [*steps, take(0, [1], wait(100, 0)), take(100, [1], granted(100))],
            by_hand=f"{left} - {left} = 0, and one token takes 100 ms",
        )
    yield case(
        "Proportional: a part of a token is owed as a whole one", "3 too much, and half a token came back", [bucket(10, 1, 100)],
        [
            take(0, [10], granted(0), name="g1"), settle(0, "g1", [13]), change(50, "proportional", bucket(20, 1, 100, **at(0))),
            take(50, [1], wait(400, 0)),
        ],
        by_hand="-2.5 is -3, and 4 tokens take 400 ms",
    )
    yield case(
        "Proportional: a part of a token is not left", "7.5 of 10 at 50", [bucket(10, 1, 100)],
        [
            take(0, [3], granted(0)), change(50, "proportional", bucket(20, 1, 100, **at(0))), take(50, [1], granted(50)), remaining(50, [13]),
            take(50, [14], wait(100, 0)),
        ],
        by_hand="7 of 10 are 14 of 20, and not 15; 14 - 1 = 13",
    )
    yield case(
        "Proportional: what is left beside what is booked is shared, though it is less", "2 are left, and 4 booked for 200", [bucket(10, 1, 100)],
        [
            take(0, [8], granted(0)), reserve(0, [4], 200, granted(200), name="g1"), change(0, "proportional", bucket(20, 1, 100, **at(0))),
            take(0, [1], wait(100, 0)), cancel(0, "g1", "returned"), remaining(0, [4]),
        ],
        by_hand="2 of 10 are 4 of 20; 4 - 4 = 0, and 1 is there after 100",
    )
    yield case(
        "Proportional: what is owed and what is booked are both missing", "3 too much, and 2 booked for 200", [bucket(10, 1, 100)],
        [
            take(0, [10], granted(0), name="g1"), reserve(0, [2], 200, granted(200), name="g2"), settle(0, "g1", [13]),
            change(0, "proportional", bucket(20, 1, 100, **at(0))), take(0, [1], wait(600, 0)), cancel(0, "g2", "returned"), take(0, [1], wait(400, 0)),
        ],
        by_hand="-3 - 2 = -5, and 6 tokens take 600 ms; -3 without g2",
    )


def window_changes():
    yield case(
        "Proportional: of equal groups the newest keeps its share first", "1 at 0 and 1 at 1000 of 10", [window(10, 4800)],
        [
            take(0, [1], granted(0)), take(1000, [1], granted(1000)), change(2000, "proportional", window(5, 4800, **at(0))),
            take(2000, [1], granted(2000)), remaining(2000, [3]), remaining(4800, [3]), remaining(5799, [3]), remaining(5800, [4]),
        ],
        by_hand="the newest 1 is 0.5, so 1; both are 1, so nothing is left of the older; 5 - 1 - 1 = 3, and the 1 of 1000 leaves at 5800",
    )
    yield case(
        "A group that ends with a booking stays as it is", "2 at 0 and 3 booked for 50 are one group", [window(10, 4800), bucket(1, 1, 50)],
        [
            take(0, [2, 1], granted(0)), reserve(0, [3, 1], 100, granted(50), name="g1"),
            change(20, "full", window(20, 4800, **at(0)), bucket(1, 1, 50, **at(1))), take(20, [1, 0], wait(30, 0)), remaining(20, [15, 0]),
        ],
        by_hand="20 - 2 - 3 = 15; nobody passes 50",
    )
    for window_ms, other_ms, left, instants in (
        (4800, 480, (8, 8, 9, 9, 10), (20, 479, 480, 499, 500)), (480, 4800, (8, 8, 8, 8, 10), (20, 4799, 4800, 4819, 4820)),
    ):
        yield case(
            f"Behind a change from {window_ms} to {other_ms} groups are as long as the new window has them", "the next grant is 20 after the first",
            [window(10, window_ms)],
            [
                take(0, [1], granted(0)), change(20, "keep", window(10, other_ms, **at(0))), take(20, [1], granted(20)),
                *(remaining(instant, [number]) for instant, number in zip(instants, left)),
            ],
            by_hand=f"{other_ms} / 48 = {other_ms // 48}: 20 is {'a group of its own' if other_ms == 480 else 'of the group of 0, which leaves at 4820'}",
        )


def cases():
    return [*list_cases(), *settling_cases(), *bucket_changes(), *window_changes()]
