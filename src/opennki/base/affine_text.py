"""Affine expressions in textual forms: ``2*i - 3*j + 5``, shared by Penguin and BIR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .affine import AffineExpr, LoopVar
from .text import Reader, name_text

NOT_VARIABLES: Final = frozenset({"inf", "nan", "none", "true", "false"})
"""Words that a value may be spelled as; a loop variable with such a name is quoted."""


def variable_text(name: str) -> str:
    """The name of a loop variable as a token that cannot be taken for a value."""
    return name_text(name, NOT_VARIABLES)


def affine_text(expr: AffineExpr) -> str:
    """``2*i - 3*j + 5``: terms in the order of their variables' names, then the constant."""
    text = ""
    for var, coeff in expr.terms:
        size = abs(coeff) if text else coeff
        name = variable_text(var.name)
        term = name if size == 1 else f"{size}*{name}"
        text += (" - " if coeff < 0 else " + ") + term if text else term
    if not text:
        return str(expr.const)
    if expr.const:
        text += f" - {-expr.const}" if expr.const < 0 else f" + {expr.const}"
    return text


def read_affine(r: Reader, scope: Mapping[str, LoopVar]) -> int | AffineExpr:
    """Step over an affine expression of the variables in `scope`; an int when it has none.

    Raises: NKI4001 when there is none, NKI4005 for a variable that is not in scope.
    """
    terms: dict[LoopVar, int] = {}
    const, sign = 0, 1
    while True:
        factor = r.integer() if r.at_number() else None
        if factor is None or r.accept("*"):
            at = r.here()
            name = r.name("an integer or a loop variable")
            var = scope.get(name)
            if var is None:
                raise r.undefined("loop variable", name, scope, at)
            terms[var] = terms.get(var, 0) + sign * (1 if factor is None else factor)
        else:
            const += sign * factor
        if r.accept("+"):
            sign = 1
        elif r.accept("-"):
            sign = -1
        else:
            return AffineExpr(terms, const) if any(terms.values()) else const
