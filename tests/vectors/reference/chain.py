"""Chains of links over the entries of a conversation."""

from .draws import Draws
from .xxh3 import BOUNDARIES, bytes_of, fingerprint, hex64

ABOUT = (
    "chain(entries): one link (16 hex digits) for each entry. An entry is a string (its UTF-8 "
    'bytes), {"hex": ...}, {"sanity": n} (see hash.json), or {"parts": [...]} of these. A row may '
    "have a namespace (a list of strings) and a seed (16 hex digits). Compare the links; bytes, the "
    "cumulative bytes of a chain pushed entry by entry; and prefix_bytes, which is the last of bytes, "
    "or 0."
)

DOMAIN = b"pointsman/chain/1"


def le32(value):
    return value.to_bytes(4, "little")


def le64(value):
    return value.to_bytes(8, "little")


def framed(parts):
    return b"".join(le32(len(part)) + part for part in parts)


def parts_of(entry):
    if isinstance(entry, dict) and "parts" in entry:
        return [bytes_of(part) for part in entry["parts"]]
    return None


def digest(entry, seed):
    parts = parts_of(entry)
    return fingerprint(bytes_of(entry) if parts is None else framed(parts), seed)


def entry_bytes(entry):
    parts = parts_of(entry)
    return len(bytes_of(entry)) if parts is None else sum(len(part) for part in parts)


def chain(entries, namespace=(), seed=0):
    link = fingerprint(DOMAIN + framed([part.encode("utf-8") for part in namespace]), seed)
    links = []
    for entry in entries:
        link = fingerprint(le64(link) + le64(digest(entry, seed)), seed)
        links.append(link)
    return links


def cumulative_bytes(entries):
    return [sum(entry_bytes(entry) for entry in entries[: n + 1]) for n in range(len(entries))]


def row(entries, namespace=None, seed=0, **notes):
    made = {"entries": entries}
    if namespace is not None:
        made["namespace"] = namespace
    if seed:
        made["seed"] = hex64(seed)
    made["links"] = [hex64(link) for link in chain(entries, namespace or (), seed)]
    made["bytes"] = cumulative_bytes(entries)
    for field in ("links", "bytes"):
        if notes.get(field, made[field]) != made[field]:
            raise SystemExit(f"by hand {notes[field]}, but the reference says {made}")
    return {**made, **notes}


TURNS = ["you are helpful", "hello", "hi! how can I help?", "Wie heißt die Hauptstadt?", "日本語で 🙂"]


def framing_rows():
    yield row([], links=[], bytes=[], by_hand="no entry, no link, 0 bytes")
    yield row(["é", "ab"], bytes=[2, 4], by_hand="é is c3 a9: 2 bytes, and 2 more are 4")
    for entries in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], ["a", "b", "c"]):
        yield row(entries)
    for entries in ([""], ["", ""], ["a", ""], ["a", "", ""]):
        yield row(entries)
    yield row(["hello", "wörld", ""])


def first_link_row():
    origin, of_entry = fingerprint(DOMAIN), fingerprint(b"hello")
    message = le64(origin) + le64(of_entry)
    statement = (
        f"fp('pointsman/chain/1') = {origin:016x}, fp('hello') = {of_entry:016x}; "
        f"the link is fp of the 16 bytes {message.hex()}"
    )
    return row(["hello"], links=[hex64(fingerprint(message))], by_hand=statement)


def part_rows():
    as_parts = row([{"parts": ["ab", "c"]}])
    as_bytes = row([{"hex": framed([b"ab", b"c"]).hex()}])
    if as_parts["links"] != as_bytes["links"]:
        raise SystemExit("parts are not framed as 02000000 6162 01000000 63")
    yield {**as_parts, "by_hand": "the same link as that of the bytes 02000000 6162 01000000 63"}
    yield {**as_bytes, "by_hand": "the bytes of the parts ab and c behind their lengths"}
    for parts in ([], [""], ["", ""], ["abc"], ["a", "bc"], ["user", "hello"], ["é", {"hex": "ff00"}]):
        yield row([{"parts": parts}])
    yield row(["system", {"parts": ["user", "hello"]}, {"parts": ["assistant", "hi", ""]}, "end"])


def world_rows():
    worlds = [None, [], [""], ["tenant-7"], ["tenant-7", "model-a"], ["tenant-7model-a"], ["日本", ""]]
    for namespace in worlds:
        for seed in (0, 1, 2**64 - 1):
            yield row(TURNS[:3], namespace, seed)


def swapped_rows():
    for at in range(len(TURNS) - 1):
        swapped = list(TURNS)
        swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
        yield row(swapped)


def byte_rows(draws):
    yield row([{"hex": "ff"}, {"hex": "c328"}, {"hex": "00"}, {"hex": ""}, {"hex": "eda080"}])
    for count in (1, 2, 3, 10, 60):
        entries = []
        for _ in range(count):
            size = draws.one_of((0, 1, 3, 8, 16, 17, 40))
            entries.append({"hex": bytes(draws.below(256) for _ in range(size)).hex()})
        yield row(entries, None, draws.bits())


def length_rows():
    for seed in (0, 1, 2**64 - 1):
        yield row([{"sanity": size} for size in BOUNDARIES], None, seed)
    yield row(["é" * count for count in range(140)])


def vectors():
    cases = {
        "Entries are framed by their lengths, and an empty one is an entry": framing_rows(),
        "The first link stands on the domain": [first_link_row()],
        "The chain of a turn begins with the chain of the turn before": [
            row(TURNS[:count]) for count in range(1, len(TURNS) + 1)
        ],
        "Two entries that change places change every link from there, and none before": swapped_rows(),
        "Parts of an entry stand behind their lengths": part_rows(),
        "Namespaces and seeds are worlds of their own": world_rows(),
        "Entries of bytes that are no text": byte_rows(Draws(9)),
        "Entries of every length at which the hash changes its way": length_rows(),
    }
    named = [{"name": name, "call": "chain", "rows": list(rows)} for name, rows in cases.items()]
    return {"about": ABOUT, "cases": named}
