"""Writes the golden vectors beside this file; `--check` compares instead.

The folder `reference` holds the specification once more, slow and obvious, one file a subject. It
shares nothing with the library that it checks, and needs nothing but Python 3.
"""

import pathlib
import sys

sys.dont_write_bytecode = True

from reference import affinity, bucket, chain, lease, least_used, limits_cases  # noqa: E402
from reference import rendezvous, rotation, window, xxh3  # noqa: E402
from reference.layout import text  # noqa: E402

FILES = {
    "affinity.json": affinity.vectors,
    "bucket.json": bucket.vectors,
    "chain.json": chain.vectors,
    "hash.json": xxh3.vectors,
    "lease.json": lease.vectors,
    "least_used.json": least_used.vectors,
    "limits.json": limits_cases.vectors,
    "order.json": rendezvous.vectors,
    "rotation.json": rotation.vectors,
    "window.json": window.vectors,
}


def main(arguments):
    folder = pathlib.Path(__file__).parent
    if arguments not in ([], ["--check"]):
        sys.exit("usage: python3 tests/vectors/reference.py [--check]")
    stale = []
    for name, vectors in FILES.items():
        path, wanted = folder / name, text(vectors())
        if not arguments:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            stale.append(name)
    if stale:
        sys.exit(f"tests/vectors: {', '.join(stale)} out of date: run `python3 tests/vectors/reference.py`")


if __name__ == "__main__":
    main(sys.argv[1:])
