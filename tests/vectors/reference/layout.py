"""How a vector file is laid out: one row or step a line, so that a change shows as what it is."""

import json


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def text(vectors):
    cases = ",\n".join(case_text(case) for case in vectors["cases"])
    return f'{{\n"about": {line(vectors["about"])},\n"cases": [\n{cases}\n]\n}}\n'


def case_text(case):
    parts = []
    for field, value in case.items():
        if field in ("rows", "steps"):
            value = "[\n" + ",\n".join("    " + line(item) for item in value) + "\n  ]"
        else:
            value = line(value)
        parts.append(f'  "{field}": {value}')
    return "{\n" + ",\n".join(parts) + "\n}"
