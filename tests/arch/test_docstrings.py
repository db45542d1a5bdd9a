"""Every module opens with a sentence that says what lives there. (Inside: ruff's D1 rules.)"""

from __future__ import annotations

import ast


def test_every_module_says_what_lives_in_it(sources):
    wrong = []
    for source in sources:
        doc = ast.get_docstring(source.tree)
        if doc is None:
            wrong.append(f"{source.name}: no docstring")
            continue
        first = " ".join(doc.split("\n\n")[0].split())
        if len(first.split()) < 3 or not first.endswith((".", ":", ")", "`")):
            wrong.append(f"{source.name}: first paragraph is not a sentence: {first!r}")
    assert not wrong, "\n".join(wrong)
