"""How the steps of several limits are written."""

from .bucket import noted
from .limits import Limits
from .replay import scenario


def bucket(capacity, refill, period_ms, start="full", **place):
    return {"kind": "bucket", "capacity": capacity, "refill": refill, "period_ms": period_ms, "start": start, **place}


def window(capacity, window_ms, **place):
    return {"kind": "window", "capacity": capacity, "window_ms": window_ms, **place}


def at(place):
    return {"from": place}


def take(at_ms, costs, expect, reason=None, name=None):
    return noted({"at_ms": at_ms, "call": "take", "costs": costs, "expect": expect}, name, reason)


def reserve(at_ms, costs, max_wait_ms, expect, reason=None, name=None):
    step = {"at_ms": at_ms, "call": "reserve", "costs": costs, "max_wait_ms": max_wait_ms}
    return noted({**step, "expect": expect}, name, reason)


def remaining(at_ms, expect, reason=None):
    return noted({"at_ms": at_ms, "call": "remaining", "expect": expect}, None, reason)


def change(at_ms, inherit, *limits):
    return {"at_ms": at_ms, "call": "change", "limits": list(limits), "inherit": inherit, "expect": None}


def case(name, reason, limits, steps, by_hand=None):
    return scenario(name, reason, {"limits": limits}, Limits, steps, by_hand)
