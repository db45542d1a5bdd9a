"""Caller's arrays to NumPy and back: NumPy's own, torch's (CPU), JAX's.

No framework is imported here: an array can only be one of its arrays if the caller imported it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.codes import NKI1010, NKI1022, NKI1037
from opennki.base.diag import fail
from opennki.base.loc import current

Array = NDArray[Any]


def to_numpy(array: Any, name: str = "argument") -> Array:
    """A dense NumPy array in native byte order with the values of `array`, the argument `name`.

    Raises: NKI1010 for a torch tensor that is not on the CPU or not dense, and for an object that
        has a shape and a dtype but no values.
    """
    if is_torch(array):
        return _from_torch(array, name)
    found = np.asarray(array)
    if found.dtype.hasobject or found.shape != tuple(array.shape):
        raise _refused(name, type(array).__name__, "it has a shape and a dtype, but no values")
    if found.dtype.byteorder not in ("=", "|") and not found.dtype.isnative:
        found = found.astype(found.dtype.newbyteorder("="))
    return np.ascontiguousarray(found)


def is_torch(array: Any) -> bool:
    """Whether `array` is a torch tensor; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_jax(array: Any) -> bool:
    """Whether `array` is a JAX array; JAX is not imported to find out."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(array, jax.Array)


def _refused(name: str, got: str, why: str) -> Exception:
    return fail(NKI1010, current(None), name=name, got=got, why=why)


def _from_torch(tensor: Any, name: str) -> Array:
    if tensor.device.type != "cpu":
        raise _refused(name, f"a torch tensor on {tensor.device}", "only CPU tensors are run")
    if str(tensor.layout) != "torch.strided":
        raise _refused(name, f"a {tensor.layout} tensor", "only dense tensors are run")
    dense = tensor.detach().resolve_neg().contiguous()
    kind = dtypes.dtype(tensor.dtype)
    raw = _RAW.get(kind)
    if raw is None:
        return np.asarray(dense.numpy())
    torch = sys.modules["torch"]
    return np.asarray(dense.view(getattr(torch, raw)).numpy()).view(kind.np)


_RAW = {
    dtypes.bfloat16: "int16", dtypes.float8_e4m3fn: "uint8", dtypes.float8_e5m2: "uint8",
    dtypes.uint16: "int16", dtypes.uint32: "int32",
}  # fmt: skip
"""dtypes that torch's NumPy bridge lacks -> the torch dtype whose bits it can give."""


def like(array: Array, callers: list[Any]) -> Any:
    """A result in the framework of the caller's arrays: torch or JAX if any of them is."""
    if any(is_torch(a) for a in callers):
        return _to_torch(array)
    if any(is_jax(a) for a in callers):
        return sys.modules["jax"].numpy.asarray(array)
    return array


def _to_torch(array: Array) -> Any:
    torch = sys.modules["torch"]
    kind = dtypes.dtype(array.dtype)
    raw = _RAW.get(kind)
    dense = np.ascontiguousarray(array)
    if raw is None:
        return torch.from_numpy(dense)
    bits = dense.view(_SIGNED[raw])
    return torch.from_numpy(bits).view(getattr(torch, str(kind)))


_SIGNED = {"int16": np.int16, "uint8": np.uint8, "int32": np.int32}


def check_writable(array: Any, name: str) -> None:
    """Raises NKI1022 for an array that the kernel writes but cannot be written."""
    flags = getattr(array, "flags", None)
    fixed = is_jax(array) or (flags is not None and not flags.writeable)
    fixed = fixed or not hasattr(array, "__setitem__")
    if fixed or (is_torch(array) and _kept(array)) or _repeats(array):
        raise fail(NKI1022, current(None), name=name)


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
    if not is_torch(array):
        return None
    torch = sys.modules["torch"]
    strided = array.layout is torch.strided and array.device.type == "cpu"
    return np.asarray(_Interface(array)) if strided else None


class _Interface:
    """A torch tensor's memory under NumPy's array interface, as opaque elements."""

    def __init__(self, tensor: Any) -> None:
        size = tensor.element_size()
        self.tensor = tensor
        self.__array_interface__ = {
            "version": 3, "data": (tensor.data_ptr(), False), "typestr": f"|V{size}",
            "shape": tuple(tensor.shape), "strides": tuple(s * size for s in tensor.stride()),
        }  # fmt: skip


def _kept(tensor: Any) -> bool:
    """Whether torch forbids writing the tensor: it keeps its values for gradients or inference."""
    torch = sys.modules["torch"]
    inference = tensor.is_inference() and not torch.is_inference_mode_enabled()
    return bool(tensor.requires_grad or inference)


def _repeats(array: Any) -> bool:
    """Whether two elements may share memory, as after `np.broadcast_to` or `torch.expand`."""
    if is_torch(array):
        if str(array.layout) != "torch.strided":
            return False
        steps, width = array.stride(), 1
    elif isinstance(array, np.ndarray):
        steps, width = array.strides, array.itemsize
    else:
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
    if is_torch(array):
        array.copy_(_to_torch(np.asarray(values)))
    elif isinstance(array, np.ma.MaskedArray):
        np.asarray(array)[...] = values  # with the mask as it is
    else:
        array[...] = values
