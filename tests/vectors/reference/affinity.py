"""Positions of a memory, and the memory of one process: links to upstreams."""

from .draws import Draws
from .replay import scenario

ABOUT = (
    "log_spaced(links): the ascending positions. Scenarios: a table of max_links and ttl_ms, and "
    "steps at their instants. Links are written as numbers and stand for 16 hex digits. recall "
    "answers an upstream or null, remember null; size and evicted_live answer numbers. Compare each "
    "answer."
)


def log_spaced(links):
    lengths = set()
    power = 1
    while power <= links:
        lengths |= {power, links // power * power}
        power *= 2
    return sorted(lengths)


class AffinityTable:
    """Entries in a list, the oldest write first."""

    def __init__(self, max_links, ttl_ms):
        self.max_links, self.ttl_ms = max_links, ttl_ms
        self.clock, self.evicted, self.entries = 0, 0, []

    def alive(self, entry, now):
        return now < entry["expires"]

    def recall(self, at_ms, links):
        now = max(at_ms, self.clock)
        for link in reversed(links):
            for entry in self.entries:
                if entry["link"] == link and self.alive(entry, now):
                    self.clock, entry["expires"] = now, now + self.ttl_ms
                    return entry["upstream"]
        return None

    def remember(self, at_ms, links, upstream):
        if not links or not upstream or self.max_links == 0:
            return
        now = self.clock = max(at_ms, self.clock)
        self.entries = [entry for entry in self.entries if entry["link"] != links[-1]]
        while self.entries and not self.alive(self.entries[0], now):
            self.entries.pop(0)
        while len(self.entries) >= self.max_links:
            self.evicted += self.alive(self.entries.pop(0), now)
        self.entries.append({"link": links[-1], "upstream": upstream, "expires": now + self.ttl_ms})

    def size(self, at_ms):
        return len(self.entries)

    def evicted_live(self, at_ms):
        return self.evicted


def remember(at_ms, links, upstream):
    return {"at_ms": at_ms, "call": "remember", "links": links, "upstream": upstream, "expect": None}


def recall(at_ms, links, expect, reason=None):
    step = {"at_ms": at_ms, "call": "recall", "links": links, "expect": expect}
    return step if reason is None else {**step, "reason": reason}


def ask(at_ms, call, expect):
    return {"at_ms": at_ms, "call": call, "expect": expect}


def table(name, reason, max_links, ttl_ms, steps, by_hand=None):
    new = {"max_links": max_links, "ttl_ms": ttl_ms}
    return scenario(name, reason, new, AffinityTable, steps, by_hand)


def expiry_cases():
    yield table(
        "A recall renews, and the instant of expiry is a miss",
        "a link is alive while now is below its expiry, which a recall moves",
        10, 100,
        [
            remember(0, [1], "A"),
            recall(99, [1], "A", "99 < 100; now until 199"),
            recall(198, [1], "A", "198 < 199; now until 298"),
            recall(298, [1], None, "298 is not below 298"),
            recall(297, [1], "A", "the miss at 298 changed nothing, the clock included"),
        ],
        by_hand="99 + 100 = 199, 198 + 100 = 298",
    )
    yield table(
        "Without a recall the ttl counts from the write",
        "0 + 100 = 100, and 100 is not below 100", 10, 100,
        [remember(0, [1], "A"), recall(100, [1], None), recall(99, [1], "A")],
    )
    yield table(
        "A hit at 90 gives until 190 exactly",
        "90 + 100 = 190", 10, 100,
        [remember(0, [1], "A"), recall(90, [1], "A"), recall(190, [1], None), recall(189, [1], "A")],
    )
    yield table(
        "An expired newest link leaves the answer to an older one that lives, and only that is renewed",
        "[1] was written at 50 and lives until 150; [1, 2] at 0 until 100", 10, 100,
        [
            remember(0, [1, 2], "B"),
            remember(50, [1], "A"),
            recall(120, [1, 2], "A", "2 expired at 100; 1 lives and is renewed until 220"),
            recall(219, [1, 2], "A"),
            recall(319, [1, 2], None, "the recall at 219 gave until 319"),
        ],
    )
    yield table(
        "A clock that goes back neither ends a link early nor lets it live for ever",
        "the table decides with the later of now and the latest instant it was written with", 10, 100,
        [
            remember(6000, [1], "A"),
            recall(1000, [1], "A", "decided at 6000, renewed until 6100"),
            remember(1050, [2], "B"),
            recall(6099, [1, 2], "B", "written at 6000, until 6100"),
            recall(6198, [2], "B", "renewed at 6099 until 6199"),
            recall(6198, [1], None, "6100 has passed"),
        ],
    )


def prefix_cases():
    long = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    yield table(
        "The longest remembered prefix answers",
        "recall scans from the end to the first link that is alive", 100, 1000,
        [
            remember(0, [1, 2, 3], "A"),
            recall(1, long, "A", "six links are new, the third is known"),
            remember(2, long, "B"),
            recall(3, [*long, 10], "B"),
            recall(3, [1, 2, 3], "A"),
            recall(3, [1, 2], None, "only the last link of a chain was written"),
        ],
    )
    yield table(
        "An edited last message falls back to the turn before",
        "the edited chain shares links 1 to 4; turn n-1 wrote link 3", 100, 1000,
        [
            remember(0, [1, 2, 3], "A"),
            remember(10, [1, 2, 3, 4, 5], "B"),
            recall(20, [1, 2, 3, 4, 50], "A"),
            recall(30, [91, 92, 93, 94], None, "a changed first entry changes every link"),
        ],
    )


def limit_cases():
    yield table(
        "A table of no links remembers nothing",
        "max_links 0 turns it off", 0, 100,
        [remember(0, [1], "A"), recall(0, [1], None), ask(0, "size", 0), ask(0, "evicted_live", 0)],
    )
    yield table(
        "Writing a link again makes it the newest and replaces its upstream",
        "of 1, 2, 1 again, 3, the oldest write is that of 2", 3, 1000,
        [
            remember(0, [1], "A"), remember(1, [2], "A"), remember(2, [1], "B"),
            remember(3, [3], "C"), remember(4, [4], "D"),
            ask(4, "size", 3), ask(4, "evicted_live", 1),
            recall(5, [1], "B"), recall(5, [2], None), recall(5, [3], "C"), recall(5, [4], "D"),
        ],
        by_hand="1, 2 -> 2, 1 -> 2, 1, 3 -> without 2: 1, 3, 4",
    )
    yield table(
        "A recall does not make a link newer",
        "eviction is by insertion", 2, 1000,
        [
            remember(0, [1], "A"), remember(1, [2], "B"), recall(2, [1], "A"), remember(3, [3], "C"),
            recall(4, [1], None, "the oldest write, though just recalled"),
            recall(4, [2], "B"), ask(4, "evicted_live", 1),
        ],
    )
    yield table(
        "What has expired makes room without counting as evicted alive",
        "1 expires at 100, when 3 is written", 2, 100,
        [
            remember(0, [1], "A"), remember(50, [2], "B"), remember(100, [3], "C"),
            ask(100, "size", 2), ask(100, "evicted_live", 0), recall(101, [2], "B"), recall(101, [3], "C"),
        ],
    )
    yield table(
        "An empty chain and an empty name are ignored",
        "there is nothing to write", 10, 100,
        [
            remember(0, [], "A"), remember(0, [1], ""), ask(0, "size", 0),
            recall(0, [], None), recall(0, [1], None),
        ],
    )


def random_case(draws):
    steps, now = [], 0
    for _ in range(400):
        now = max(0, now + draws.below(30) - 4)
        links = [draws.below(12) for _ in range(draws.below(5))]
        if draws.below(2):
            upstream = draws.one_of(("A", "B", "C", "日本"))
            steps.append({"at_ms": now, "call": "remember", "links": links, "upstream": upstream})
        else:
            steps.append({"at_ms": now, "call": "recall", "links": links})
    steps.append({"at_ms": now, "call": "evicted_live"})
    return table("Random steps on a small table", "made by the reference", 6, 100, steps)


def spacing_case():
    by_hand = {
        0: ([], "no link, no position"),
        1: ([1], "1 = 1, the only power of two"),
        13: ([1, 2, 4, 8, 12, 13], "13, 6*2 = 12, 3*4 = 12, 1*8 = 8; and 1, 2, 4, 8"),
    }
    rows = []
    for links in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 31, 32, 33, 100, 127, 1000, 65535):
        made = {"links": links, "expect": log_spaced(links)}
        if links in by_hand:
            expect, statement = by_hand[links]
            if expect != made["expect"]:
                raise SystemExit(f"by hand {expect}, but the reference says {made}")
            made["by_hand"] = statement
        rows.append(made)
    name = "Positions are n, n rounded down to each power of two, and the powers"
    return {"name": name, "call": "log_spaced", "rows": rows}


def vectors():
    scenarios = [*expiry_cases(), *prefix_cases(), *limit_cases(), random_case(Draws(1))]
    return {"about": ABOUT, "cases": [spacing_case(), *scenarios]}
