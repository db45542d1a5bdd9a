"""The page of targets: every field of the table, and which target has which feature."""

from __future__ import annotations

from dataclasses import fields

from opennki.target import TARGETS, Target

from .markdown import code, doc_of, page, prose, table


def text() -> str:
    """The whole page."""
    features = sorted(frozenset[str]().union(*(t.features for t in TARGETS)))
    names = [f.name for f in fields(Target) if f.name not in ("name", "features")]
    names += [n for n, item in vars(Target).items() if isinstance(item, property)]
    head = [code(t.name) for t in TARGETS]
    return page(
        "Targets",
        "A kernel is compiled for one of these. Any of the names in `aliases` chooses a target, as "
        'in\n`nki.simulate(kernel, target="trn2")`; sizes are in bytes, and those of memories are '
        "per partition.",
        "Fields: " + prose(doc_of(Target).split("Attributes: ", 1)[1]),
        table(["field", *head], [[code(n), *(_shown(t, n) for t in TARGETS)] for n in names]),
        "## Features",
        table(
            ["feature", *head],
            [[code(f), *("yes" if t.has(f) else "" for t in TARGETS)] for f in features],
        ),
        "## Sources",
        "\n".join(f"- {prose(_source(t))}" for t in TARGETS),
    )


def _shown(target: Target, name: str) -> str:
    found = getattr(target, name)
    if isinstance(found, tuple):
        return ", ".join(map(str, found))
    return f"{found:,}".replace(",", " ") if isinstance(found, int) else str(found)


def _source(target: Target) -> str:
    """First paragraph of the file that holds a target's table."""
    module = __import__(f"opennki.target.{target.name}", fromlist=["TARGET"])
    return " ".join(doc_of(module).split("\n\n")[0].split())
