"""Plays the steps of a scenario to a reference."""


def scenario(name, reason, new, make, steps, by_hand=None):
    """A case whose expectations are written by hand where a step has one, and are the
    reference's answers where it has none. A hand-written one that the reference contradicts
    ends the program: one of the two is wrong."""
    subject = make(**new)
    played = []
    for number, step in enumerate(steps):
        answer = refused(step) or asked(subject, step)
        if step.get("expect", answer) != answer:
            raise SystemExit(f"{name}, step {number}: {step} but the reference says {answer}")
        played.append({**arguments_first(step), "expect": answer, **reason_last(step)})
    case = {"name": name, "reason": reason}
    if by_hand is not None:
        case["by_hand"] = by_hand
    return {**case, "new": new, "steps": played}


def refused(step):
    """The answer to a step that misuses the library: it changes nothing, and no reference sees it."""
    expect = step.get("expect")
    return expect if isinstance(expect, dict) and "error" in expect else None


def asked(subject, step):
    arguments = {k: v for k, v in step.items() if k not in ("call", "expect", "reason")}
    return getattr(subject, step["call"])(**arguments)


def arguments_first(step):
    return {k: v for k, v in step.items() if k not in ("expect", "reason")}


def reason_last(step):
    return {k: v for k, v in step.items() if k == "reason"}
