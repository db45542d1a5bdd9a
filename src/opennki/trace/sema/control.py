"""Loops, the launch grid, and order: `affine_range`, `program_id`, `no_reorder`, `ds`, ..."""

from __future__ import annotations

import builtins
from contextlib import AbstractContextManager
from math import prod
from typing import Any

from opennki.base.codes import NKI1007, NKI1040
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int, shown
from opennki.trace.values import DynamicSlice

from .marks import nki_function
from .operands import integer


def _range(fn: str, start: Any, stop: Any, step: Any) -> builtins.range:
    """Python's range over integers. Raises: NKI1040 for anything else, NKI1007 for a step of 0."""
    first, last = (0, start) if stop is None else (start, stop)
    named = {"start": first, "stop": last, "step": step}
    for name, value in named.items():
        if plain_int(value) is None:
            raise fault(NKI1040, name=name, fn=f"nl.{fn}", got=shown(value))
    if step == 0:
        facts = {"fn": f"nl.{fn}", "expected": "an integer other than 0", "got": "0"}
        raise fault(NKI1007, name="step", **facts)
    return builtins.range(first, last, step)


@nki_function()
def affine_range(start: Any, stop: Any = None, step: Any = 1) -> builtins.range:
    """Python's `range`: the loop is unrolled while tracing."""
    return _range("affine_range", start, stop, step)


@nki_function()
def sequential_range(start: Any, stop: Any = None, step: Any = 1) -> builtins.range:
    """Python's `range`: the loop is unrolled while tracing."""
    return _range("sequential_range", start, stop, step)


@nki_function()
def static_range(start: Any, stop: Any = None, step: Any = 1) -> builtins.range:
    """Python's `range`: the loop is unrolled while tracing."""
    return _range("static_range", start, stop, step)


@nki_function()
def ds(start: Any, size: Any) -> DynamicSlice:
    """Index that selects `size` elements from `start`: ``x[:, nl.ds(start, size)]``."""
    return DynamicSlice(start, size)


@nki_function()
def program_id(axis: Any = 0) -> int:
    """Index of this program on `axis` of the launch grid. Raises: NKI1021."""
    ctx = nki_ctx("nl.program_id")
    return ctx.program_id(integer(ctx, "program_id", "axis", axis))


@nki_function()
def num_programs(axes: Any = 0) -> int:
    """Programs on one axis of the launch grid, on several (their product), or, for None, on all.

    Raises: NKI1021 for an axis that the grid does not have.
    """
    ctx = nki_ctx("nl.num_programs")
    if axes is None:
        return prod(ctx.sizes)
    several = axes if isinstance(axes, tuple | list) else (axes,)
    return prod(ctx.num_programs(integer(ctx, "num_programs", "axes", a)) for a in several)


@nki_function()
def program_ndim() -> int:
    """Axes of the launch grid; 0 for a launch without one."""
    return len(nki_ctx("nl.program_ndim").sizes)


@nki_function()
def no_reorder() -> AbstractContextManager[None]:
    """``with nl.no_reorder():`` keeps the program order of the instructions inside."""
    return nki_ctx("nl.no_reorder").builder.no_reorder()
