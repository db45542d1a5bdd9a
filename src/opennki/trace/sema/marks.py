"""Marks on the functions that kernels call: what they mean when passed as an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from opennki.isa.enums import ActFunc, AluOp

F = TypeVar("F", bound=Callable[..., Any])


def nki_function(alu: AluOp | None = None, act: ActFunc | None = None) -> Callable[[F], F]:
    """Mark a function as part of the NKI language (gate 1 of the call dispatcher).

    Args: alu and act, the operator that the function itself stands for where an instruction takes
        an ``op``, as in ``nisa.tensor_tensor(..., op=nl.add)``.
    """

    def mark(fn: F) -> F:
        fn.__nki_function__ = True  # type: ignore[attr-defined]
        if alu is not None:
            fn.__nki_alu__ = alu  # type: ignore[attr-defined]
        if act is not None:
            fn.__nki_act__ = act  # type: ignore[attr-defined]
        return fn

    return mark
