"""The page of `nki.language`: functions by family, then constants and classes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from itertools import groupby
from typing import Any

import opennki.api.language as surface
from opennki.base.dtypes import DType
from opennki.ir import Space
from opennki.isa.registry import BY_NKI
from opennki.trace.sema.constants import TileSize

from . import spelling
from .markdown import code, doc_of, first_sentence, page, prose, table
from .reach import names_in, reached

SEMA = "opennki.trace.sema"


def text() -> str:
    """The whole page."""
    items = {name: getattr(surface, name) for name in surface.__all__}
    functions = {n: fn for n, fn in items.items() if inspect.isfunction(fn)}
    order = sorted(functions, key=lambda n: (functions[n].__module__, n))
    families = [
        _family(module, {n: functions[n] for n in names})
        for module, names in groupby(order, lambda n: functions[n].__module__)
    ]
    return page(
        "nki.language",
        "Written as `import nki.language as nl`. The last column names the instructions that a "
        "function may\nemit; which of them depends on its arguments. Functions marked with * can "
        "also be passed as an\noperator, as in `nisa.tensor_tensor(..., op=nl.add)`.",
        *families,
        _dtypes(items),
        _memories(items),
        _tile_size(),
        _others(items),
    )


def _family(module: str, functions: dict[str, Callable[..., Any]]) -> str:
    doc = first_sentence(doc_of(sys.modules[module]))
    rows = []
    for name, fn in functions.items():
        mark = "\\*" if hasattr(fn, "__nki_alu__") or hasattr(fn, "__nki_act__") else ""
        shown = spelling.call(f"nl.{name}", inspect.signature(fn), width=10_000)
        calls = ", ".join(f"[{c}](isa.md#{c})" for c in emitted(fn))
        rows.append([code(shown) + mark, prose(first_sentence(doc_of(fn))), calls])
    title = module.rpartition(".")[2].replace("_", " ").capitalize()
    return f"## {title}\n\n{prose(doc)}\n\n" + table(["function", "result", "may emit"], rows)


def emitted(fn: Callable[..., Any]) -> list[str]:
    """ISA calls that a function may make, from the names in its code."""
    found: set[str] = set()
    for one in reached(fn, SEMA):
        names = set(names_in(one.__code__))
        if "isa" in names:
            found |= names & set(BY_NKI)
        found |= {n for n in names if hasattr(one.__globals__.get(n), "__nki_inst__")}
    return sorted(found & set(BY_NKI))


def _dtypes(items: dict[str, Any]) -> str:
    rows = [
        [code(f"nl.{name}"), d.kind, str(d.itemsize), str(d.lanes), code(d.np), code(d.bir)]
        for name, d in items.items()
        if isinstance(d, DType)
    ]
    head = ["dtype", "kind", "bytes", "values in one element", "stored as", "in BIR"]
    return "## Dtypes\n\n" + table(head, rows)


def _memories(items: dict[str, Any]) -> str:
    rows = [
        [code(f"nl.{name}"), code(s.name), "on chip" if s.on_chip else "device memory"]
        for name, s in items.items()
        if isinstance(s, Space)
    ]
    return "## Memories\n\n" + table(["name", "memory", "where"], rows)


def _tile_size() -> str:
    names = [n for n, item in vars(TileSize).items() if isinstance(item, property)]
    sizes = [(t, TileSize(lambda t=t: t)) for t in spelling.MACHINES]  # type: ignore[misc]
    rows = [
        [
            code(f"nl.tile_size.{name}"),
            prose(first_sentence(doc_of(getattr(TileSize, name)))),
            *(str(getattr(size, name)) for _, size in sizes),
        ]
        for name in names
    ]
    head = ["limit", "what it is", *(code(t.name) for t, _ in sizes)]
    return "## Limits of the target\n\n" + table(head, rows)


def _others(items: dict[str, Any]) -> str:
    rows = [
        [code(f"nl.{name}"), prose(first_sentence(doc_of(item)))]
        for name, item in items.items()
        if inspect.isclass(item) and item.__module__.startswith("opennki")
    ]
    return "## Classes\n\n" + table(["class", "what it is"], rows)
