"""Kernel arguments and results: from the caller's values to tensors, and back to their nesting.

Arrays (anything with `shape` and `dtype`) become HBM tensors, wherever they are nested in tuples,
lists, dicts, dataclasses or objects; everything else is a compile-time constant.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from opennki.base.codes import NKI1004, NKI1005, NKI1006, NKI1010, NKI1014, NKI1015

from .objects import NKIObject
from .values import NkiTensor

Refuse = Callable[..., Exception]
MakeTensor = Callable[[str, Any], NkiTensor]


def is_array(value: object) -> bool:
    """Whether `value` is an array of any framework (not a NumPy scalar, not one of our tensors)."""
    return (
        hasattr(value, "shape")
        and hasattr(value, "dtype")
        and not isinstance(value, NkiTensor | type)
        and not (getattr(value, "shape", None) == () and type(value).__module__ == "numpy"
                 and not hasattr(value, "__array_finalize__"))
    )  # fmt: skip


def bind(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
         refuse: Callable[..., Exception]) -> dict[str, Any]:  # fmt: skip
    """Parameter name -> value, defaults filled in; ``*args`` and ``**kwargs`` keep their nesting.

    Raises: what `refuse(code, **facts)` makes of NKI1004 (unknown keyword), NKI1005 (missing
    argument) and NKI1006 (too many positional arguments).
    """
    signature = inspect.signature(fn)
    params = signature.parameters
    name = getattr(fn, "__name__", "kernel")
    kinds = {p.kind for p in params.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for key in kwargs:
            if key not in params:
                raise refuse(NKI1004, name=key, fn=name, known=", ".join(params), close="")
    positional = [p for p in params.values() if p.kind in _POSITIONAL]
    if inspect.Parameter.VAR_POSITIONAL not in kinds and len(args) > len(positional):
        raise refuse(NKI1006, fn=name, most=len(positional), got=len(args))
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as why:
        missing = str(why).rpartition(": ")[2].strip("'") if "missing" in str(why) else str(why)
        raise refuse(NKI1005, name=missing.strip("'"), fn=name) from None
    bound.apply_defaults()
    return dict(bound.arguments)


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_CONSTANTS = (
    type(None), bool, int, float, str, Enum, range, slice, FunctionType, BuiltinFunctionType,
    MethodType, ModuleType, type,
)  # fmt: skip


def with_tensors(name: str, value: Any, make: MakeTensor, refuse: Refuse) -> Any:
    """`value` with every array in it replaced by ``make(name, array)``.

    Containers and objects are copied, so that a kernel that changes one leaves the caller's alone.
    Raises: NKI1010 for values that have no meaning in a kernel (sets, generators, complex numbers).
    """
    if isinstance(value, (*_CONSTANTS, NkiTensor)):
        return value
    if is_array(value):
        return make(name, value)
    if isinstance(value, dict):
        return {k: with_tensors(f"{name}_{k}", v, make, refuse) for k, v in value.items()}
    if isinstance(value, tuple | list):
        items = [with_tensors(f"{name}_{i}", v, make, refuse) for i, v in enumerate(value)]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if hasattr(value, "__index__") or type(value).__module__ == "numpy":
        return value.item() if hasattr(value, "item") else value
    if callable(value) and not hasattr(value, "__dict__"):
        return value
    if is_dataclass(value) or hasattr(value, "__dict__"):
        return _object(name, value, make, refuse)
    raise refuse(NKI1010, name=name, got=type(value).__name__, why="it is no value of the language")


def _object(name: str, value: Any, make: MakeTensor, refuse: Refuse) -> Any:
    """A shallow copy of a user object whose attributes are converted."""
    made = copy.copy(value)
    names = list(vars(value)) if hasattr(value, "__dict__") else [f.name for f in fields(value)]
    for key in names:
        old = getattr(value, key)
        if isinstance(old, list | tuple | dict) or is_array(old) or _holds(old):
            object.__setattr__(made, key, with_tensors(f"{name}_{key}", old, make, refuse))
    return made


def _holds(value: Any) -> bool:
    """Whether an attribute is an object of the user's that may hold arrays itself."""
    return isinstance(value, NKIObject) or (is_dataclass(value) and not isinstance(value, type))


class ResultTree:
    """The nesting of a kernel's results; leaves are views of HBM tensors."""

    def __init__(self, value: Any, refuse: Refuse) -> None:
        self.value = value
        self.leaves: list[NkiTensor] = []
        self._collect(value, "the result", refuse)

    def _collect(self, value: Any, where: str, refuse: Refuse) -> None:
        if isinstance(value, NkiTensor):
            if not value.tensor.space.is_hbm:
                raise refuse(NKI1015, name=value.tensor.name, space=value.tensor.space)
            self.leaves.append(value)
        elif isinstance(value, tuple | list):
            for index, item in enumerate(value):
                self._collect(item, f"{where}[{index}]", refuse)
        elif isinstance(value, dict):
            for key, item in value.items():
                self._collect(item, f"{where}[{key!r}]", refuse)
        else:
            raise refuse(NKI1014, got=type(value).__name__, where=where)

    def rebuild(self, leaf: Callable[[NkiTensor], Any]) -> Any:
        """The nesting with ``leaf(view)`` in place of every view."""

        def walk(value: Any) -> Any:
            if isinstance(value, NkiTensor):
                return leaf(value)
            if isinstance(value, dict):
                return {k: walk(v) for k, v in value.items()}
            items = [walk(v) for v in value]
            if isinstance(value, list):
                return items
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)

        return walk(self.value)
