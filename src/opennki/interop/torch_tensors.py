"""torch's tensors: their values, bits and memory as NumPy arrays, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.codes import NKI1010
from opennki.base.diag import fail
from opennki.base.loc import current

Array = NDArray[Any]

_RAW = {
    dtypes.bfloat16: "int16", dtypes.float8_e4m3fn: "uint8", dtypes.float8_e5m2: "uint8",
    dtypes.float8_e8m0fnu: "uint8", dtypes.uint16: "int16", dtypes.uint32: "int32",
}  # fmt: skip
"""dtypes that torch's NumPy bridge lacks -> the torch dtype whose bits it can give."""

_SIGNED = {"int16": np.int16, "uint8": np.uint8, "int32": np.int32}


def matches(value: object) -> bool:
    """Whether `value` is a torch tensor."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def has(kind: dtypes.DType) -> bool:
    """Whether torch has a dtype for `kind`, which was a caller's only if torch is imported.

    Source: torch reference, torch.dtype. It has no float8 E4M3 with infinities, and gained
    unsigned integers in 2.3 and float8_e8m0fnu in 2.7.
    """
    return kind is dtypes.bool_ or hasattr(sys.modules["torch"], str(kind))


def to_numpy(tensor: Any, name: str) -> Array:
    """The values of `tensor`, the argument `name`; its own memory where it is dense.

    Raises: NKI1010 for tensors on other devices, sparse ones, and those that stand for others (of
        `torch.vmap`, `torch.func.grad`, fake tensors).
    """
    if tensor.device.type != "cpu":
        raise _refused(name, f"a torch tensor on {tensor.device}", "only CPU tensors are run")
    if str(tensor.layout) != "torch.strided":
        raise _refused(name, f"a {tensor.layout} tensor", "only dense tensors are run")
    if not _has_memory(tensor):
        why = "it stands for other tensors and has no values (torch.vmap, torch.func, fake tensors)"
        raise _refused(name, f"a torch {type(tensor).__name__}", why)
    kind = dtypes.dtype(tensor.dtype)
    torch = sys.modules["torch"]
    dense = tensor.detach().as_subclass(torch.Tensor).resolve_neg().contiguous()
    raw = _RAW.get(kind)
    if raw is None:
        return np.asarray(dense.numpy())
    return np.asarray(dense.view(getattr(torch, raw)).numpy()).view(kind.np)


def from_numpy(array: Array) -> Any:
    """A tensor with the values of `array`, which shares its memory where it is dense."""
    torch = sys.modules["torch"]
    kind = dtypes.dtype(array.dtype)
    raw = _RAW.get(kind)
    dense = np.ascontiguousarray(array)
    if raw is None:
        return torch.from_numpy(dense)
    bits = dense.view(_SIGNED[raw])
    return torch.from_numpy(bits).view(getattr(torch, str(kind)))


def uncompiled(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, which `torch.compile` shall call and not look into."""
    if "torch._dynamo" not in sys.modules:  # nothing was compiled; loading it takes seconds
        return fn
    torch = sys.modules["torch"]
    made: Callable[..., Any] = torch.compiler.disable(fn)
    return made


def store(tensor: Any, values: Array) -> None:
    """Write `values` into `tensor`, however it is strided."""
    tensor.copy_(from_numpy(np.asarray(values)))


def kept(tensor: Any) -> bool:
    """Whether torch forbids writing the tensor: it keeps its values for gradients or inference."""
    torch = sys.modules["torch"]
    inference = tensor.is_inference() and not torch.is_inference_mode_enabled()
    return bool((tensor.requires_grad and torch.is_grad_enabled()) or inference)


def memory(tensor: Any) -> Array | None:
    """An array over the memory of a tensor, as opaque elements; None where there is none to see."""
    strided = str(tensor.layout) == "torch.strided" and tensor.device.type == "cpu"
    return np.asarray(_Interface(tensor)) if strided and _has_memory(tensor) else None


def strides(tensor: Any) -> tuple[int, ...] | None:
    """Steps between elements, in elements; None for a tensor that is not laid out by strides."""
    return tuple(tensor.stride()) if str(tensor.layout) == "torch.strided" else None


def _has_memory(tensor: Any) -> bool:
    try:
        return bool(tensor.data_ptr()) or tensor.numel() == 0
    except RuntimeError:
        return False


class _Interface:
    """A torch tensor's memory under NumPy's array interface."""

    def __init__(self, tensor: Any) -> None:
        size = tensor.element_size()
        self.tensor = tensor
        self.__array_interface__ = {
            "version": 3, "data": (tensor.data_ptr(), False), "typestr": f"|V{size}",
            "shape": tuple(tensor.shape), "strides": tuple(s * size for s in tensor.stride()),
        }  # fmt: skip


def _refused(name: str, got: str, why: str) -> Exception:
    return fail(NKI1010, current(None), name=name, got=got, why=why)
