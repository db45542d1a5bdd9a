"""Registers and run-time loops: `register_alloc`, `dynamic_range`, `fori_loop`, `while_loop`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from opennki.base.codes import NKI1044
from opennki.base.diag import NkiError
from opennki.base.dtypes import float32
from opennki.ir import DynamicLoop, Inst, Tensor, While
from opennki.target import keywords
from opennki.trace.context import TraceContext
from opennki.trace.earlier import use
from opennki.trace.fault import also
from opennki.trace.loops import LOAD, DynamicRange
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int, shown
from opennki.trace.registers import VirtualRegister
from opennki.trace.values import NkiTensor

from .isa import CALLS
from .keywords import ABSENT
from .marks import nki_function

LOWEST, HIGHEST = -(2**31), 2**31 - 1


@nki_function()
def register_alloc(x: int | NkiTensor | None = None) -> VirtualRegister:
    """A new register that holds the integer `x`, or, for None, nothing yet.

    Raises: NKI1007, NKI2124 if `x` is no integer of 32 bits.
    Source: NKI ISA reference, register_alloc.
    """
    made = nki_ctx("nki.isa.register_alloc").new_register()
    if x is not None:
        if isinstance(x, NkiTensor):  # as in earlier versions
            register_load(made, x)
        else:
            CALLS["register_move"](made, x)
    return made


@nki_function()
def register_move(
    dst: VirtualRegister, src: int | VirtualRegister | None = None, *, imm: Any = ABSENT
) -> Inst | None:
    """Set the register `dst` to the integer `src`, or to what the register `src` holds.

    Args: imm, what an integer `src` was called in 0.2.
    """
    if imm is not ABSENT:
        use(keywords("register_move")["imm"])
        src = imm
    if isinstance(dst, VirtualRegister):
        dst.floating = isinstance(src, VirtualRegister) and src.floating
    made: Inst | None = CALLS["register_move"](dst, src)
    return made


_ALL = signature(register_move)
register_move.__signature__ = _ALL.replace(  # type: ignore[attr-defined]  # the published one
    parameters=[p.replace(default=p.empty) for p in _ALL.parameters.values() if p.name != "imm"]
)


@nki_function()
def register_load(dst: VirtualRegister, src: NkiTensor) -> Inst | None:
    """Load the one element of `src`, in SBUF or HBM, into the register `dst`."""
    if isinstance(dst, VirtualRegister) and isinstance(src, NkiTensor):
        dst.floating = src.dtype is float32
    made: Inst | None = CALLS["register_load"](dst, src)
    return made


@nki_function()
def register_store(dst: NkiTensor, src: VirtualRegister) -> Inst | None:
    """Store what the register `src` holds into the one element of `dst`, in SBUF or HBM."""
    made: Inst | None = CALLS["register_store"](dst, src)
    return made


# ---- loops -----------------------------------------------------------------------------------


@nki_function()
def dynamic_range(start: Any, stop: Any = None, step: Any = 1) -> DynamicRange:
    """``for i in dynamic_range(...)``: a loop on the device, whose body is traced once.

    Args: start and stop, integers or registers, as `range` takes them; step, a positive integer.
    Returns: what yields one value, the register that holds the index.
    Raises: NKI1044 for other arguments; NKI1043 inside of no_reorder.
    Source: NKI language reference, dynamic_range.
    """
    ctx = nki_ctx("nl.dynamic_range")
    first, last = (0, start) if stop is None else (start, stop)
    ends = _ends(ctx, "nl.dynamic_range", ("start", first), ("stop", last), step)
    return DynamicRange(ctx.loops, partial(_counted, ctx, *ends))


@nki_function()
def fori_loop(lower: Any, upper: Any, body_fun: Any, step: Any = 1) -> None:
    """Run ``body_fun(i)`` on the device for every i from `lower` to `upper`, `upper` excluded.

    The body is traced once; i is a register, and writing it changes nothing about the loop.

    Args: lower and upper, integers or registers; step, a positive integer.
    Raises: NKI1044 for other arguments, and for a body that returns something; NKI1043 inside of
        no_reorder.
    Source: NKI language reference, fori_loop.
    """
    ctx = nki_ctx("nl.fori_loop")
    _callable(ctx, "nl.fori_loop", body_fun)
    ends = _ends(ctx, "nl.fori_loop", ("lower", lower), ("upper", upper), step)
    index, loop = _counted(ctx, *ends)
    opened = ctx.loops.enter(loop)
    result = body_fun(index)
    ctx.loops.leave(opened)
    if result is not None:
        raise _bad(ctx, "nl.fori_loop", "body_fun", "a function that returns nothing", result)


@nki_function()
def while_loop(init: Any, body_fun: Any) -> None:
    """Run ``r = body_fun(r)`` on the device as long as the register r is not 0; r begins as `init`.

    Raises: NKI1044 if `init`, or what the body returns, is no register; NKI1043 inside of
        no_reorder.
    Source: NKI language reference, while_loop.
    """
    ctx = nki_ctx("nl.while_loop")
    _callable(ctx, "nl.while_loop", body_fun)
    if not isinstance(init, VirtualRegister):
        raise _bad(ctx, "nl.while_loop", "init", "a register", init)
    ctx.loops.integer("nl.while_loop", "init", init)
    condition = ctx.new_register("condition")
    CALLS["register_move"](condition, init)
    opened = ctx.loops.enter(While(condition.tensor))
    after = body_fun(condition)
    if not isinstance(after, VirtualRegister):
        raise _bad(ctx, "nl.while_loop", "body_fun", "a function that returns a register", after)
    ctx.loops.integer("nl.while_loop", "body_fun", after)
    if after is not condition:
        CALLS["register_move"](condition, after)
    ctx.loops.leave(opened)


def _counted(
    ctx: TraceContext, start: int | Tensor, stop: int | Tensor, step: int
) -> tuple[VirtualRegister, DynamicLoop]:
    """The index and the loop that counts it."""
    index = ctx.new_register("index")
    return index, DynamicLoop(index.tensor, start, stop, step)


def _ends(
    ctx: TraceContext, fn: str, first: tuple[str, Any], last: tuple[str, Any], step: Any
) -> tuple[int | Tensor, int | Tensor, int]:
    """Start, stop and step of a loop. Raises: NKI1044."""
    size = plain_int(step) if not isinstance(step, VirtualRegister) else None
    if size is None or size < 1:
        found = _bad(ctx, fn, "step", "a positive integer that is known while tracing", step)
        raise also(AssertionError, found)
    return _end(ctx, fn, *first), _end(ctx, fn, *last), size


def _end(ctx: TraceContext, fn: str, name: str, value: Any) -> int | Tensor:
    if isinstance(value, VirtualRegister):
        return ctx.loops.integer(fn, name, value)
    number = plain_int(value)
    if number is None or not LOWEST <= number <= HIGHEST:
        raise _bad(ctx, fn, name, "an integer of 32 bits or a register", value)
    return number


def _callable(ctx: TraceContext, fn: str, body: Callable[..., Any]) -> None:
    if not callable(body):
        raise _bad(ctx, fn, "body_fun", "a function", body)


def _bad(ctx: TraceContext, fn: str, name: str, expected: str, got: Any) -> NkiError:
    instead = f"pass {expected}"
    if name in ("start", "stop", "lower", "upper", "init"):
        instead = LOAD
    return ctx.refusal(
        NKI1044, name=name, fn=fn, expected=expected, got=shown(got), instead=instead
    )
