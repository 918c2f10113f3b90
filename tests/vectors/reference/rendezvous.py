"""Rendezvous order, format v1, with weights."""

from .draws import Draws
from .xxh3 import fingerprint, hex64

ABOUT = (
    "order(key, upstreams): the indices, strongest first. A row may have weights (one for each "
    "upstream) and a seed (16 hex digits). Compare the whole order; its first is the answer of pick "
    "(none for an empty list); the first n of it are the answer for a limit of n. Where no name is "
    "listed twice, the handle Upstreams answers the same. Expect {\"error\": a} where the argument a "
    "is refused."
)


def lanes(fingerprint64):
    return fingerprint64 % 2**32, fingerprint64 >> 32


def score(key, name):
    (k0, k1), (a0, a1) = lanes(key), lanes(name)
    x = (k0 ^ a0) * 0x21F0AAAD % 2**32
    x = ((x ^ x >> 15) + (k1 ^ a1)) % 2**32
    x = x * 0x735A2D97 % 2**32
    return x - 2**32 if x >= 2**31 else x


def negative_log(signed_score):
    """-ln((score + 2^31 + 1/2) / 2^32) in IEEE doubles, one operation after another."""
    m, q = signed_score + 2.0**31 + 0.5, 32
    while m >= 2.0:
        m, q = m / 2.0, q - 1
    while m < 1.0:
        m, q = m * 2.0, q + 1
    if m >= 1.5:
        m, q = m / 2.0, q - 1
    t = m - 1.0
    s = t / (2.0 + t)
    z = s * s
    p = 1.0 / 13.0
    for divisor in (11.0, 9.0, 7.0, 5.0, 3.0):
        p = p * z + 1.0 / divisor
    p = p * z + 1.0
    return q * 0.693147180559945309417232121458 - 2.0 * s * p


def order(key, upstreams, weights=None, seed=0):
    weighted = weights is not None and len(set(weights)) > 1
    key_fingerprint = fingerprint(key.encode("utf-8"), seed)

    def strength(index):
        name = upstreams[index].encode("utf-8")
        name_fingerprint = fingerprint(name, seed)
        own = score(key_fingerprint, name_fingerprint)
        tie = (name_fingerprint, name, index)
        if not weighted:
            return (-own, *tie)
        if weights[index] == 0:
            return (1, -own, *tie)
        return (0, negative_log(own) / weights[index], *tie)

    return sorted(range(len(upstreams)), key=strength)


def row(key, upstreams, weights=None, seed=0, **notes):
    made = {"key": key, "upstreams": upstreams}
    if weights is not None:
        made["weights"] = weights
    if seed:
        made["seed"] = hex64(seed)
    made["expect"] = order(key, upstreams, weights, seed)
    if notes.get("expect", made["expect"]) != made["expect"]:
        raise SystemExit(f"by hand {notes['expect']}, but the reference says {made}")
    return {**made, **notes}


ACCOUNTS = [f"acct-{i}" for i in range(1, 9)]
UNLIKE = ["openai/eu", "10.0.0.7:8080", "б", "a very long name of an upstream " + "." * 200]
SCRIPTS = ["alpha", "бета", "гамма", "日本", "中文字", "العربية", "עברית", "🙂", "🙂🙂", "é", "e\u0301"]
BYTES = ["B", "a", "aa", "b", "10", "9", "é", " ", "a ", "A"]

SCORES_BY_HAND = (
    "fp(key) = 4f77b7268a8672c7, fp(acct-1) = 7759e98d6f22e175. k0 xor a0 = e5a493b2, times 21f0aaad "
    "= e32c034a, xor itself >> 15 = e32dc512, plus k1 xor a1 (382e5eab) = 1b5c23bd, times 735a2d97 = "
    "cd134d7b = -854372997"
)


def hand_rows():
    yield row("k", [], expect=[], by_hand="an empty list has an empty order")
    yield row("k", ["x"], expect=[0], by_hand="one name has one order")
    yield row("k", ["x", "x"], expect=[0, 1], by_hand="equal in all but the index")
    yield row("k", ["x", "x", "x"], [1, 0, 1], expect=[0, 2, 1], by_hand="weight 0 comes last, then the index")
    yield row("k", ["a", "b", "c"], [0, 9, 0], by_hand="b first: the only one with a weight; the others by score")
    yield row("k", ["x", "x"], [1, 2], expect=[1, 0], by_hand="one score, half the cost for twice the weight")


def tie_rows():
    """acct-36973 and acct-47023 have the score 1939492c (hex) for session:42."""
    pair = ["acct-36973", "acct-47023"]
    key = fingerprint(b"session:42")
    if len({score(key, fingerprint(name.encode())) for name in pair}) != 1:
        raise SystemExit("the scores of acct-36973 and acct-47023 are not equal any more")
    for names in (pair, pair[::-1], [pair[1], "acct-1", pair[0], "acct-2"]):
        yield row("session:42", names)
        yield row("session:42", names, [3] * len(names))
        yield row("session:42", [*names, "acct-3"], [3] * len(names) + [4])
    yield row("session:42", pair, [3, 4], expect=[1, 0], by_hand="equal scores: the heavier costs less")
    yield row("session:42", pair, [4, 3], expect=[0, 1], by_hand="equal scores: the heavier costs less")


def duplicate_rows():
    for key in ("k", "ключ", "session:42", "0"):
        yield row(key, ["x", "x", "y"])
        yield row(key, ["y", "x", "y", "x"])
        yield row(key, ["x", "y", "x", "z", "x"], [1, 2, 1, 1, 1])
        yield row(key, [*ACCOUNTS, *ACCOUNTS])


def key_rows():
    keys = ["k", " ", "a", "ab", "abc", "user@example.com", "сесия-42", "日本語", "🙂", "é", "e\u0301"]
    keys += ["\u0000", "\n", "\ufffd", "k" * 240, "k" * 241, "ключ" * 300, "550e8400-e29b-41d4-a716-446655440000"]
    for key in keys:
        for names in (ACCOUNTS, UNLIKE, SCRIPTS):
            yield row(key, names)


def random_rows(draws, count, weighted):
    pools = (ACCOUNTS, UNLIKE, SCRIPTS, BYTES, [f"{c}-same-but-the-first" for c in "abcdefghijklmnop"])
    for number in range(count):
        pool = list(draws.one_of(pools))
        names = []
        for _ in range(1 + draws.below(len(pool))):
            names.append(pool.pop(draws.below(len(pool))))
        weights = None
        if weighted:
            heaviest = draws.one_of((2, 5, 100, 65535))
            weights = [draws.below(heaviest + 1) for _ in names]
        seed = draws.bits() if number % 3 == 0 else 0
        key = draws.one_of(("session-", "сесия-", "セッション", "")) + str(draws.bits())
        yield row(key, names, weights, seed)


def shuffled(draws, things):
    left = list(things)
    return [left.pop(draws.below(len(left))) for _ in things]


def large_rows(draws):
    for count in (7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 130):
        names = [f"upstream-{i}" for i in range(count)]
        yield row("session:42", names)
        yield row("session:42", names[::-1], [1 + i % 7 for i in range(count)])
    for _ in range(6):
        yield row("session:42", shuffled(draws, ACCOUNTS))


def refused_rows():
    yield {"key": "", "upstreams": ["a"], "expect": {"error": "key"}}
    yield {"key": "", "upstreams": [], "expect": {"error": "key"}}
    yield {"key": "k", "upstreams": ["a", ""], "expect": {"error": "upstream"}}
    yield {"key": "k", "upstreams": ["a\u0000"], "expect": {"error": "upstream"}}
    yield {"key": "k", "upstreams": ["a\u0085"], "expect": {"error": "upstream"}}
    yield {"key": "k", "upstreams": ["é" * 128], "expect": {"error": "upstream"}}
    yield {"key": "k", "upstreams": ["a", "b"], "weights": [1], "expect": {"error": "weights"}}
    yield {"key": "k", "upstreams": ["a"], "weights": [65536], "expect": {"error": "weight"}}


def weight_rows():
    for key in ("session:42", "сесия-42", "k"):
        for weights in ([1] * 8, [0] * 8, [7] * 8, [2, 1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 0, 0, 0, 0]):
            yield row(key, ACCOUNTS, weights)
        yield row(key, ACCOUNTS, [65535, 1, 65535, 1, 0, 0, 2, 3])
        yield row(key, ACCOUNTS, [1, 2, 3, 4, 5, 6, 7, 8], seed=2**64 - 1)


def vectors():
    draws = Draws(8)
    cases = {
        "Empty lists, one name, and a weight of 0": hand_rows(),
        "A name that is listed twice stands side by side, the lower index first": duplicate_rows(),
        "Equal scores of different names go by fingerprint, whatever the order of the list": tie_rows(),
        "Keys and names of every length and script": key_rows(),
        "Random lists without weights": random_rows(draws, 90, False),
        "Weights that are equal give the order without weights, others their own": weight_rows(),
        "Random lists with weights": random_rows(draws, 90, True),
        "Lists around the widths at which an implementation may change its way": large_rows(draws),
        "An empty key, a bad name and a bad weight are refused": refused_rows(),
    }
    named = [{"name": name, "call": "order", "rows": list(rows)} for name, rows in cases.items()]
    named.insert(1, scores_case())
    return {"about": ABOUT, "cases": named}


def scores_case():
    by_hand = "%s; the others likewise: 1672698171, 155851401, -143309389, -1362404666; greatest first"
    made = row("session:42", ACCOUNTS[:5], expect=[1, 2, 3, 0, 4], by_hand=by_hand % SCORES_BY_HAND)
    return {"name": "The greatest score comes first", "call": "order", "rows": [made]}
