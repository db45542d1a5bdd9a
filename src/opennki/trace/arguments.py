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
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from opennki.base.codes import NKI1004, NKI1005, NKI1006, NKI1007, NKI1010, NKI1014, NKI1015

from .objects import NKIObject
from .plain import is_array, is_dtype, is_torch, plain_number
from .values import NkiTensor

Refuse = Callable[..., Exception]
MakeTensor = Callable[[str, Any], NkiTensor]


def bind(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
         refuse: Callable[..., Exception]) -> dict[str, Any]:  # fmt: skip
    """Parameter name -> value, defaults filled in; ``*args`` and ``**kwargs`` keep their nesting.

    Raises: what `refuse(code, **facts)` makes of NKI1004 (unknown keyword), NKI1005 (missing
    argument), NKI1006 (too many positional arguments) and NKI1007 (one given twice).
    """
    signature = signature_of(fn)
    params = signature.parameters
    name = getattr(fn, "__name__", "kernel")
    kinds = {p.kind for p in params.values()}
    known = [p for p in params if params[p].kind in _NAMED]
    for key in kwargs:
        if key not in known and (inspect.Parameter.VAR_KEYWORD not in kinds or key in params):
            raise refuse(NKI1004, name=key, fn=name, known=", ".join(known), close="")
    positional = [p for p in params.values() if p.kind in _POSITIONAL]
    if inspect.Parameter.VAR_POSITIONAL not in kinds and len(args) > len(positional):
        named = [p.name for p in params.values() if p.kind is inspect.Parameter.KEYWORD_ONLY]
        facts = {"known": [p.name for p in positional], "optional": named}
        raise refuse(NKI1006, fn=name, most=len(positional), got=len(args), **facts)
    for param in positional[: len(args)]:
        if param.name in kwargs:
            raise refuse(NKI1007, name=param.name, fn=name, **GIVEN_TWICE)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as why:
        missing = str(why).rpartition(": ")[2].strip("'") if "missing" in str(why) else str(why)
        raise refuse(NKI1005, name=missing.strip("'"), fn=name) from None
    bound.apply_defaults()
    return dict(bound.arguments)


def signature_of(fn: Callable[..., Any]) -> inspect.Signature:
    """The parameters that a call of `fn` has.

    A decorator's wrapper publishes those of what it wraps (`functools.wraps`), which hold if it
    hands on whatever it gets; otherwise its own do.
    """
    fn = fn.__func__ if isinstance(fn, staticmethod) else fn
    own = inspect.signature(fn, follow_wrapped=False)
    kinds = {param.kind for param in own.parameters.values()}
    hands_on = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds
    return inspect.signature(fn) if hands_on else own


GIVEN_TWICE = {"expected": "given once", "got": "given by position and by name"}
"""Facts of the NKI1007 about an argument with two values."""

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_CONSTANTS = (
    type(None), bool, int, float, str, Enum, range, slice, FunctionType, BuiltinFunctionType,
    MethodType, ModuleType, type,
)  # fmt: skip


def cast(name: str, array: Any) -> str:
    """What a caller writes to convert the array `name` to a dtype that engines read."""
    whole = "int64" in str(array.dtype)
    if is_torch(array):
        return f"{name}.to(torch.int32)" if whole else f"{name}.float()"
    return f"{name}.astype(np.{'int32' if whole else 'float32'})"


def with_tensors(name: str, value: Any, make: MakeTensor, refuse: Refuse) -> Any:
    """`value` with every array in it replaced by ``make(name, array)``.

    Containers and objects are copied, so that a kernel that changes one leaves the caller's alone.
    Raises: NKI1010 for values that have no meaning in a kernel (sets, generators, complex numbers)
        and for containers in themselves.
    """
    try:
        return _converted(name, value, make, refuse)
    except RecursionError:
        raise refuse(NKI1010, name=name, got=type(value).__name__, why=_ENDLESS) from None


_ENDLESS = "it contains itself, or is nested too deeply"


def _converted(name: str, value: Any, make: MakeTensor, refuse: Refuse) -> Any:
    if isinstance(value, (*_CONSTANTS, NkiTensor)):
        return value
    if is_array(value):
        return make(name, value)
    if isinstance(value, dict):
        return {k: _converted(f"{name}_{k}", v, make, refuse) for k, v in value.items()}
    if isinstance(value, tuple | list):
        items = [_converted(f"{name}_{i}", v, make, refuse) for i, v in enumerate(value)]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    number = plain_number(value)
    if number is not None or hasattr(value, "__index__"):
        return value if number is None else number
    if is_dtype(value):
        return value
    if callable(value) and not hasattr(value, "__dict__"):
        return value
    if is_dataclass(value) or hasattr(value, "__dict__"):
        return _object(name, value, make, refuse)
    raise refuse(NKI1010, name=name, got=type(value).__name__, why="it is no value of the language")


def function_of(fn: Any) -> Any:
    """The function that calling `fn` runs: of a method, a partial, an object with ``__call__``."""
    while not isinstance(fn, FunctionType):
        if isinstance(fn, partial):
            fn = fn.func
        elif isinstance(fn, MethodType | staticmethod):
            fn = fn.__func__
        elif callable(fn) and isinstance(type(fn).__call__, FunctionType):
            fn = type(fn).__call__
        else:
            return fn
    return fn


def unbound(
    fn: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, tuple[Any, ...], Mapping[str, Any]]:
    """A call with what a method or a partial holds (arrays, perhaps) among its arguments."""
    while isinstance(fn, MethodType | partial):
        if isinstance(fn, MethodType):
            fn, args = fn.__func__, (fn.__self__, *args)
        else:
            fn, args, kwargs = fn.func, (*fn.args, *args), {**fn.keywords, **kwargs}
    return fn, args, kwargs


def _object(name: str, value: Any, make: MakeTensor, refuse: Refuse) -> Any:
    """A shallow copy of a user object whose attributes are converted."""
    made = copy.copy(value)
    names = list(vars(value)) if hasattr(value, "__dict__") else [f.name for f in fields(value)]
    for key in names:
        old = getattr(value, key)
        if isinstance(old, list | tuple | dict) or is_array(old) or _holds(old):
            object.__setattr__(made, key, _converted(f"{name}_{key}", old, make, refuse))
    return made


def _holds(value: Any) -> bool:
    """Whether an attribute is an object of the user's that may hold arrays itself."""
    return isinstance(value, NKIObject) or (is_dataclass(value) and not isinstance(value, type))


def arrays_of(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], refuse: Refuse
) -> list[tuple[str, Any]]:
    """Name and value of every array of a call, in the order in which they become tensors.

    Raises: as `bind` and `with_tensors`.
    """
    found: list[tuple[str, Any]] = []

    def note(name: str, array: Any) -> Any:
        found.append((name, array))
        return array

    fn, args, kwargs = unbound(fn, args, kwargs)
    for name, value in bind(fn, args, kwargs, refuse).items():
        with_tensors(name, value, note, refuse)
    return found


class ResultTree:
    """The nesting of a kernel's results; leaves are views of HBM tensors."""

    def __init__(self, value: Any, refuse: Refuse) -> None:
        self.value = value
        self.leaves: list[NkiTensor] = []
        try:
            self._collect(value, "the result", refuse)
        except RecursionError:
            got = f"a {type(value).__name__} that contains itself, or is nested too deeply,"
            raise refuse(NKI1014, got=got, where="the result") from None

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
