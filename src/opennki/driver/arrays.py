"""Caller's arrays to NumPy and back: NumPy's own, torch's (CPU), JAX's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.codes import NKI1010, NKI1022, NKI1037, NKI1049
from opennki.base.diag import fail
from opennki.base.loc import current
from opennki.interop import jax_arrays, torch_tensors
from opennki.trace import Traced

Array = NDArray[Any]


def to_numpy(array: Any, name: str = "argument") -> Array:
    """A dense NumPy array in native byte order with the values of `array`, the argument `name`.

    Raises: NKI1010 for a torch tensor that is not on the CPU or not dense, for an array that JAX is
        tracing, and for any object that has a shape and a dtype but no values.
    """
    if torch_tensors.matches(array):
        return torch_tensors.to_numpy(array, name)
    found = jax_arrays.to_numpy(array, name) if jax_arrays.matches(array) else np.asarray(array)
    if found.dtype.hasobject or found.shape != tuple(array.shape):
        facts = {"got": type(array).__name__, "why": "it has a shape and a dtype, but no values"}
        raise fail(NKI1010, current(None), name=name, **facts)
    if found.dtype.byteorder not in ("=", "|") and not found.dtype.isnative:
        found = found.astype(found.dtype.newbyteorder("="))
    return np.ascontiguousarray(found)


def like(array: Array, callers: list[Any]) -> Any:
    """A result in the framework of the caller's arrays: torch or JAX if any of them is."""
    if any(torch_tensors.matches(a) for a in callers):
        return torch_tensors.from_numpy(array)
    if any(jax_arrays.matches(a) for a in callers):
        return jax_arrays.from_numpy(array)
    return array


def check_results(traced: Traced, callers: list[Any]) -> None:
    """Raises NKI1049 for a result of a dtype that the framework of the caller's arrays lacks."""
    if traced.results is None or not any(torch_tensors.matches(a) for a in callers):
        return
    for view in traced.results.leaves:
        if not torch_tensors.has(dtypes.dtype(view.dtype.np)):
            near = "nl.float8_e4m3fn" if view.dtype in dtypes.FP8 else "nl.float32"
            facts = {
                "framework": "torch",
                "bytes": f"nl.uint{8 * view.dtype.itemsize}",
                "close": near,
            }
            raise fail(NKI1049, view.tensor.loc, name=view.tensor.name, dtype=view.dtype, **facts)


def check_writable(array: Any, name: str) -> None:
    """Raises NKI1022 for an array that the kernel writes but cannot be written."""
    why = ""
    flags = getattr(array, "flags", None)
    if jax_arrays.matches(array):
        why = "JAX arrays never change"
    elif torch_tensors.matches(array):
        if torch_tensors.kept(array):
            why = "torch keeps its values for gradients or inference"
    elif (flags is not None and not flags.writeable) or not hasattr(array, "__setitem__"):
        why = "it is read-only"
    if not why and _repeats(array):
        why = "several of its elements share memory"
    if why:
        raise fail(NKI1022, current(None), name=name, why=why)


def check_separate(arrays: list[tuple[str, Any, bool]]) -> None:
    """Raises NKI1037 if an array that is written shares memory with another argument.

    Args: arrays, (name, array, whether the kernel writes it) of every argument.
    """
    spans = [(name, _memory(array), written) for name, array, written in arrays]
    for name, mine, written in spans:
        for other, theirs, _ in spans if written else ():
            if name != other and _meet(mine, theirs):
                raise fail(NKI1037, current(None), name=name, other=other)


_shares_memory: Any = np.shares_memory  # its stub knows the special values of max_work only


def _meet(one: Array | None, two: Array | None) -> bool:
    """Whether two arrays have bytes in common; yes, where NumPy would search too long."""
    if one is None or two is None or not np.may_share_memory(one, two):
        return False
    try:
        return bool(_shares_memory(one, two, max_work=100_000))
    except np.exceptions.TooHardError:
        return True


def _memory(array: Any) -> Array | None:
    """An array over the memory of the caller's, None where NumPy cannot look at it."""
    if isinstance(array, np.ndarray):
        return array
    return torch_tensors.memory(array) if torch_tensors.matches(array) else None


def _repeats(array: Any) -> bool:
    """Whether two elements may share memory, as after `np.broadcast_to` or `torch.expand`."""
    steps, width = None, 1
    if torch_tensors.matches(array):
        steps = torch_tensors.strides(array)
    elif isinstance(array, np.ndarray):
        steps, width = array.strides, array.itemsize
    if steps is None:
        return False
    reach = 0
    for step, count in sorted(
        (abs(s), n) for s, n in zip(steps, array.shape, strict=True) if n > 1
    ):
        if step < reach + width:
            return True
        reach += step * (count - 1)
    return False


def write_back(array: Any, values: Array) -> None:
    """Store `values` in the caller's `array`."""
    if torch_tensors.matches(array):
        torch_tensors.store(array, values)
    elif isinstance(array, np.ma.MaskedArray):
        np.asarray(array)[...] = values  # with the mask as it is
    else:
        array[...] = values
