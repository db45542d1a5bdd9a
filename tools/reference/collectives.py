"""The page of `nki.collectives`: every call with what it does."""

from __future__ import annotations

import inspect
from typing import Any

import opennki.api.collectives as surface
from opennki.isa.registry import BY_EMIT

from . import spelling
from .markdown import block, doc_of, page, prose


def text() -> str:
    """The whole page."""
    names = [n for n in surface.__all__ if inspect.isfunction(getattr(surface, n))]
    group: Any = surface.ReplicaGroup
    return page(
        "nki.collectives",
        "Written as `import nki.collectives as ncc`. Ranks are the logical cores of one\n"
        "`opennki.launch(kernel, ranks=n)`; calling a kernel is a launch of rank 0 alone.",
        "\n\n".join(["## ReplicaGroup", block(doc_of(group), "text")]),
        *map(_call, names),
    )


def _call(name: str) -> str:
    shown = spelling.call(f"ncc.{name}", inspect.signature(getattr(surface, name)), width=100)
    meaning, arguments = doc_of(BY_EMIT[name]), doc_of(getattr(surface, name))
    rules = f"Operands and rules of its instruction: [isa.md](isa.md#{name})."
    return "\n\n".join(
        [f"## {name}", block(shown), prose(meaning), block(arguments, "text"), rules]
    )
