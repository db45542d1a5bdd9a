"""The names of memories that NKI 0.2 has built in: `sbuf`, `psum`, `hbm`."""

from __future__ import annotations

import builtins
from types import CodeType, FunctionType
from typing import Any

from opennki.ir import Space
from opennki.target import MEMORY_NAMES
from opennki.trace.earlier import use
from opennki.trace.values import NkiTensor

from .creation import ndarray

_NAMES = ("sbuf", "psum", "hbm", "private_hbm", "shared_hbm")


class MemoryName:
    """A memory as the name that NKI 0.2 has without an import: ``sbuf.view(dtype=, shape=)``."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def view(self, dtype: Any, shape: Any) -> NkiTensor:
        """A new tensor in this memory."""
        use(MEMORY_NAMES)
        return ndarray(shape, dtype, self.space)

    def __repr__(self) -> str:
        return f"nl.{self.space.name}"


def with_memory_names(fn: Any) -> Any:
    """`fn` with the names of memories that NKI 0.2 has built in, if it uses any undefined ones.

    Only the kernel's own function is looked at, not those that it calls.
    Model: a copy of the function with more globals; what other functions assign to globals of its
    module while it runs is not seen by it.
    """
    if not isinstance(fn, FunctionType):
        return fn
    names = [n for n in _NAMES if not _defined(fn, n) and _uses(fn.__code__, n)]
    if not names:
        return fn
    spaces = {n: Space.private_hbm if n == "hbm" else Space[n] for n in names}
    extra = {n: MemoryName(space) for n, space in spaces.items()}
    made = FunctionType(
        fn.__code__, {**fn.__globals__, **extra}, fn.__name__, fn.__defaults__, fn.__closure__
    )
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__annotations__ = fn.__annotations__
    return made


def _defined(fn: FunctionType, name: str) -> bool:
    return name in fn.__globals__ or hasattr(builtins, name)


def _uses(code: CodeType, name: str) -> bool:
    """Whether a function or one nested in it reads the global `name`."""
    if name in code.co_names:
        return True
    return any(_uses(c, name) for c in code.co_consts if isinstance(c, CodeType))
