"""Keywords that calls of `nki.isa` had in earlier versions: what each becomes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from opennki.base.codes import NKI1007, NKI1008, NKI2116
from opennki.base.dtypes import DType
from opennki.base.dtypes import dtype as to_dtype
from opennki.ir import Inst
from opennki.target import AFFINE_SELECT_ORDER, keywords
from opennki.trace.earlier import use
from opennki.trace.enums import dma_engine
from opennki.trace.fault import fault
from opennki.trace.plain import plain_bool, shown
from opennki.trace.values import NkiTensor

Call = Callable[..., Any]
Given = dict[str, Any]


ABSENT = object()
"""The value of an earlier version's keyword that a call does not give."""


def earlier_call(calls: Mapping[str, Call], name: str, given: Given, old: Given) -> Any:
    """Call ``calls[name]`` with what is meant by keywords of earlier versions.

    Args: given, arguments that the call has; old, values of the keywords that it had, or `ABSENT`.
    Raises: NKI1030 for a keyword that the chosen version does not have.
    """
    changes = keywords(name)
    old = {keyword: value for keyword, value in old.items() if value is not ABSENT}
    for keyword in old:
        use(changes[keyword])
    if "dtype" in old:
        _same_dtype(name, old["dtype"], given["dst"])
    others = {k: v for k, v in old.items() if k != "dtype"}
    return _MEANING[name](calls, given, others) if others else calls[name](**given)


def _same_dtype(name: str, stated: Any, dst: Any) -> None:
    """``dtype=`` may repeat the dtype of `dst`, which the instruction converts to anyway."""
    if stated is not None and isinstance(dst, NkiTensor) and _dtype(name, stated) != dst.dtype:
        facts = {"first_dtype": _dtype(name, stated), "second_dtype": dst.dtype, "inst": name}
        raise fault(NKI2116, first="dtype", second="dst", **facts)


def _dtype(name: str, value: Any) -> DType:
    try:
        return to_dtype(value)
    except KeyError:
        facts = {"fn": f"nki.isa.{name}", "expected": "a dtype", "got": repr(value)[:60]}
        raise fault(NKI1008, name="dtype", **facts) from None


def _dma_copy(calls: Mapping[str, Call], given: Given, old: Given) -> Any:
    """``dst_rmw_op=nl.add`` adds to what is there: ``dma_compute(dst, [src, dst], nl.add)``."""
    op = old.get("dst_rmw_op")
    if op is None:
        return calls["dma_copy"](**given)
    made = {"srcs": [given["src"], given["dst"]], "reduce_op": op}
    made |= {k: v for k, v in old.items() if k == "unique_indices"}
    compute = calls["dma_compute"]
    defaults = inspect.signature(calls["dma_copy"]).parameters
    for name, value in given.items():
        if name == "dst" or (name != "src" and value is not defaults[name].default):
            made[name] = value  # one that dma_compute does not have is told as any other
    return compute(**made)


def _nc_matmul(calls: Mapping[str, Call], given: Given, old: Given) -> Any:
    if "is_moving_zero" in old:
        given = {**given, "is_moving_onezero": old["is_moving_zero"]}
    return calls["nc_matmul"](**given)


def _sendrecv(calls: Mapping[str, Call], given: Given, old: Given) -> Any:
    asked = plain_bool(old["use_gpsimd_dma"])
    if asked is None:
        facts = {"fn": "nki.isa.sendrecv", "expected": "bool", "got": shown(old["use_gpsimd_dma"])}
        raise fault(NKI1007, name="use_gpsimd_dma", operand="use_gpsimd_dma", **facts)
    chosen = dma_engine.gpsimd_dma if asked else dma_engine.dma
    return calls["sendrecv"](**{**given, "dma_engine": chosen})


_MEANING: dict[str, Callable[[Mapping[str, Call], Given, Given], Any]] = {
    "dma_copy": _dma_copy,
    "nc_matmul": _nc_matmul,
    "sendrecv": _sendrecv,
}


def in_order(cls: type[Inst], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Field values of a call by position, in the order that the present version has.

    affine_select(dst, pattern, offset, channel_multiplier, on_true, on_false), as 0.2 has it, gives
    the offset as channel_multiplier and a number where a tile belongs.
    """
    if cls.spec.name != "affine_select" or isinstance(values[3], NkiTensor):
        return values
    dst, pattern, offset, multiplier, on_true, on_false, cmp_op = values
    if not isinstance(on_true, NkiTensor):
        return values
    use(AFFINE_SELECT_ORDER)
    given = None if cmp_op.__class__ is int else cmp_op  # the present default of offset
    return dst, pattern, multiplier, on_true, on_false, given, offset
