"""Affine index expressions: sums of loop variables times constants, plus a constant.

They occur as offsets of views inside rolled loops. Comparisons of them (`AffineCond`) guard
instructions of the first language generation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LoopVar:
    """The index of a loop: takes ``start, start + step, ...`` below ``stop``."""

    name: str
    start: int
    stop: int
    step: int = 1

    @property
    def trips(self) -> int:
        """How often the loop runs."""
        return max(0, -(-(self.stop - self.start) // self.step))

    def values(self) -> range:
        """The values that the index takes."""
        return range(self.start, self.stop, self.step)


class AffineExpr:
    """``const + sum(coeff * var)``; immutable, terms sorted by variable name, no zero terms."""

    __slots__ = ("const", "terms")

    def __init__(self, terms: Mapping[LoopVar, int], const: int = 0) -> None:
        self.terms: tuple[tuple[LoopVar, int], ...] = tuple(
            sorted(((v, c) for v, c in terms.items() if c), key=lambda t: t[0].name)
        )
        self.const = const

    @classmethod
    def of(cls, var: LoopVar, coeff: int = 1, const: int = 0) -> AffineExpr:
        """``coeff * var + const``."""
        return cls({var: coeff}, const)

    def substitute(self, values: Mapping[str, int]) -> AffineExpr | int:
        """Replace variables by numbers; an `int` when none is left."""
        const = self.const
        rest = {}
        for var, coeff in self.terms:
            if var.name in values:
                const += coeff * values[var.name]
            else:
                rest[var] = coeff
        return AffineExpr(rest, const) if rest else const

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value; raises KeyError if a variable has no value."""
        return self.const + sum(coeff * values[var.name] for var, coeff in self.terms)

    def bounds(self) -> tuple[int, int]:
        """Smallest and largest value over all loop trips (each loop runs at least once)."""
        low = high = self.const
        for var, coeff in self.terms:
            ends = (coeff * var.start, coeff * var.values()[-1])
            low += min(ends)
            high += max(ends)
        return low, high

    def distinct(self, limit: int) -> set[int] | None:
        """Every value over all loop trips; None for more than `limit`, or too many to look at."""
        found = {self.const}
        for var, coeff in self.terms:
            if len(found) * var.trips > 64 * limit:
                return None
            found = {value + coeff * index for value in found for index in var.values()}
            if len(found) > limit:
                return None
        return found

    def __add__(self, other: AffineExpr | int) -> AffineExpr:
        if isinstance(other, int):
            return AffineExpr(dict(self.terms), self.const + other)
        terms = dict(self.terms)
        for var, coeff in other.terms:
            terms[var] = terms.get(var, 0) + coeff
        return AffineExpr(terms, self.const + other.const)

    __radd__ = __add__

    def __mul__(self, factor: int) -> AffineExpr:
        return AffineExpr({v: c * factor for v, c in self.terms}, self.const * factor)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, AffineExpr):
            return self.terms == other.terms and self.const == other.const
        return not self.terms and self.const == other

    def __hash__(self) -> int:
        return hash((self.terms, self.const)) if self.terms else hash(self.const)

    def __repr__(self) -> str:
        parts = [f"{c}*{v.name}" if c != 1 else v.name for v, c in self.terms]
        if self.const or not parts:
            parts.append(str(self.const))
        return " + ".join(parts)
