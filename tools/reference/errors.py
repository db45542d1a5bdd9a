"""The page of error codes: message, hint, reason, and an example with its repair."""

from __future__ import annotations

import sys
from itertools import groupby

from opennki.base.diag import CATALOGUE, Code

from .isa import givers
from .markdown import block, code, doc_of, first_sentence, page, prose


def text() -> str:
    """The whole page."""
    by_call = givers()
    parts = []
    entries = sorted(CATALOGUE.values(), key=lambda c: c.id)
    for home, group in groupby(entries, _home):
        parts.append(_heading(home))
        parts += [_entry(entry, by_call.get(entry.id, [])) for entry in group]
    return page(
        "Error codes",
        "Every diagnostic that opennki can give. Words in braces are filled with the facts of the\n"
        "case; a part of a hint whose facts do not apply is left out. Instructions are named where "
        "their own\nrules give a code; what holds for all of them is in "
        "[isa.md](isa.md#what-every-instruction-needs).",
        *parts,
    )


def _home(entry: Code) -> str:
    """The catalogue file that declares a code."""
    package = "opennki.base.codes."
    return next(
        name
        for name, module in sorted(sys.modules.items())
        if name.startswith(package) and getattr(module, entry.id, None) is entry
    )


def _heading(home: str) -> str:
    doc = first_sentence(doc_of(sys.modules[home])).removeprefix("A pure table: ")
    return "## " + prose(doc.rstrip("."))


def _entry(entry: Code, calls: list[str]) -> str:
    parts = [
        f"### {entry.id}",
        f"**{prose(entry.title)}** ({entry.severity.value})",
        block(entry.template, "text"),
        f"*Hint:* {prose(entry.hint)}." if entry.hint else "",
        prose(entry.why),
        "Wrong:\n\n" + block(entry.wrong) if entry.wrong else "",
        "Right:\n\n" + block(entry.right) if entry.right else "",
        "*Given by:* " + ", ".join(f"[{code(c)}](isa.md#{c})" for c in calls) + "."
        if calls
        else "",
    ]
    return "\n\n".join(p for p in parts if p)
