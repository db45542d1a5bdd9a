"""Index expressions: loop indices, `nl.arange`, `nl.mgrid`, and the masks that compare them.

An expression is affine: ``base + sum(steps[k] * a_k)``, where `a_k` counts along dimension k of a
tile, and `base` is a number or a sum of loop indices. What is not affine in a loop index
(``i // 2``, ``i % 2``, ``i * j``) is traced trip by trip: the loop narrows itself to one of them.
Source: NKI 0.1 language reference, arange and mgrid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI1080, NKI1081, NKI1082, NKI1083, NKI1098
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int, shown

Base = int | AffineExpr
Shape = tuple[int, ...]


class IndexExpr:
    """One affine expression. Scalars, such as loop indices, have no dimensions.

    Attributes: base; shape, sizes of the dimensions that it spreads over (1: it does not vary);
    steps, what one place along each is worth.
    """

    __slots__ = ("base", "shape", "steps")

    def __init__(self, base: Base, shape: Shape = (), steps: Shape = ()) -> None:
        self.base = base if isinstance(base, int) or base.terms else base.const
        self.shape = shape
        self.steps = steps

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def constant(self) -> int | None:
        """The value, if it is one number while tracing."""
        return self.base if isinstance(self.base, int) and not any(self.steps) else None

    def bounds(self) -> tuple[int, int]:
        """Smallest and largest value over the present trips of the loops and all places."""
        low, high = (self.base, self.base) if isinstance(self.base, int) else _bounds(self.base)
        for size, step in zip(self.shape, self.steps, strict=True):
            low += min(0, step * (size - 1))
            high += max(0, step * (size - 1))
        return low, high

    # ---- arithmetic --------------------------------------------------------------------------

    def __add__(self, other: Any) -> IndexExpr:
        right = as_expr(other)
        if right is None:
            return NotImplemented
        shape, (mine, theirs) = _broadcast(self, right)
        steps = tuple(a + b for a, b in zip(mine, theirs, strict=True))
        return IndexExpr(_sum(self.base, right.base), shape, steps)

    __radd__ = __add__

    def __neg__(self) -> IndexExpr:
        return self._times(-1)

    def __sub__(self, other: Any) -> IndexExpr:
        right = as_expr(other)
        return NotImplemented if right is None else self + right._times(-1)

    def __rsub__(self, other: Any) -> IndexExpr:
        left = as_expr(other)
        return NotImplemented if left is None else left + self._times(-1)

    def __mul__(self, other: Any) -> IndexExpr:
        right = as_expr(other)
        if right is None:
            return NotImplemented
        for one, two in ((self, right), (right, self)):
            if two.constant is not None:
                return one._times(two.constant)
        if not right.shape:
            return self._times(right.concrete("*"))
        if not self.shape:
            return right._times(self.concrete("*"))
        raise _refused(f"the product of {self!r} and {right!r}")

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> IndexExpr:
        return self._divided(other, "//", lambda a, n: a // n)

    def __mod__(self, other: Any) -> IndexExpr:
        return self._divided(other, "%", lambda a, n: a % n)

    def _divided(self, other: Any, sign: str, apply: Callable[[int, int], int]) -> IndexExpr:
        """Exact where the divisor divides what varies, else of the present trip."""
        divisor = as_expr(other)
        number = None if divisor is None else divisor.constant
        if number is None:
            raise fault(NKI1081, expression=f"{self!r} {sign} {shown(other)}")
        if number == 0:
            raise ZeroDivisionError(f"{self!r} {sign} 0")
        varies = [c for _, c in self.base.terms] if isinstance(self.base, AffineExpr) else []
        if any(step % number for step in self.steps):
            raise fault(NKI1081, expression=f"{self!r} {sign} {number}")
        if any(c % number for c in varies):
            return IndexExpr(apply(concrete_base(self.base), number), self.shape, tuple(
                apply(s, number) for s in self.steps))  # fmt: skip
        base = self.base
        if isinstance(base, AffineExpr) and sign == "//":
            terms = {v: c // number for v, c in base.terms}
            made: Base = AffineExpr(terms, base.const // number)
        else:
            const = base if isinstance(base, int) else base.const
            made = apply(const, number)
        return IndexExpr(made, self.shape, tuple(apply(s, number) for s in self.steps))

    def _times(self, factor: int) -> IndexExpr:
        return IndexExpr(self.base * factor, self.shape, tuple(s * factor for s in self.steps))

    def concrete(self, use: str) -> int:
        """The value in the present trip of every loop, which is traced alone from here on.

        Raises: NKI1082 for an index that spreads over a tile.
        """
        if any(self.steps):
            raise fault(NKI1082, what=use, expression=repr(self))
        return concrete_base(self.base)

    def __index__(self) -> int:
        return self.concrete("an integer")

    __int__ = __index__

    def __bool__(self) -> bool:
        if self.constant is not None:
            return bool(self.constant)
        raise fault(NKI1082, what="a condition", expression=repr(self))

    # ---- comparisons and dimensions ------------------------------------------------------------

    def __lt__(self, other: Any) -> Mask:
        return _compared(self, other, lambda d: [d * -1 - 1])

    def __le__(self, other: Any) -> Mask:
        return _compared(self, other, lambda d: [d * -1])

    def __gt__(self, other: Any) -> Mask:
        return _compared(self, other, lambda d: [d - 1])

    def __ge__(self, other: Any) -> Mask:
        return _compared(self, other, lambda d: [d])

    def __eq__(self, other: object) -> Mask:  # type: ignore[override]  # a mask, as in NumPy
        return _compared(self, other, lambda d: [d, d * -1])

    def __ne__(self, other: object) -> NoReturn:
        raise fault(NKI1083, got="!=")

    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> IndexExpr:
        """The expression with dimensions of size 1 where the key has None."""
        keys = key if isinstance(key, tuple) else (key,)
        keys = _full(keys, self.ndim)
        shape, steps, dims = [], [], iter(zip(self.shape, self.steps, strict=True))
        for k in keys:
            if k is None:
                shape.append(1)
                steps.append(0)
            elif isinstance(k, slice) and k == slice(None):
                size, step = next(dims)
                shape.append(size)
                steps.append(step)
            else:
                raise fault(NKI1082, what=f"the index [{k!r}]", expression=repr(self))
        return IndexExpr(self.base, tuple(shape), tuple(steps))

    def __setitem__(self, key: Any, value: object) -> NoReturn:
        raise fault(NKI1098, what="an index")

    def __repr__(self) -> str:
        spread = f" over {list(self.shape)}" if self.shape else ""
        return f"{self.base!r}{spread}"


def _compared(
    left: IndexExpr, other: Any, conditions: Callable[[IndexExpr], list[IndexExpr]]
) -> Mask:
    right = as_expr(other)
    if right is None:
        raise fault(NKI1081, expression=f"{left!r} compared with {shown(other)}")
    return Mask(tuple(conditions(left - right)))


class Mask:
    """A conjunction of comparisons: elements where each of `conditions` is 0 or more."""

    __slots__ = ("conditions",)

    def __init__(self, conditions: tuple[IndexExpr, ...]) -> None:
        self.conditions = conditions

    def __and__(self, other: Any) -> Mask:
        if other is True or other is None:
            return self
        if not isinstance(other, Mask):
            raise fault(NKI1081, expression=f"a mask & {shown(other)}")
        return Mask(self.conditions + other.conditions)

    __rand__ = __and__

    def __or__(self, other: Any) -> NoReturn:
        raise fault(NKI1083, got="|")

    __ror__ = __xor__ = __or__

    def __invert__(self) -> NoReturn:
        raise fault(NKI1083, got="~")

    def __setitem__(self, key: Any, value: object) -> NoReturn:
        raise fault(NKI1098, what="a mask")

    decided: ClassVar[Callable[[tuple[IndexExpr, ...]], bool]]
    """Whether conditions on loop indices hold; `masks` sets it."""

    def __bool__(self) -> bool:
        """Whether it holds, if it compares loop indices only: in the trips that are traced now.

        Raises: NKI1082 if it chooses elements of a tile.
        """
        if any(any(condition.steps) for condition in self.conditions):
            what = "a condition (`if`, `and`, `or`, `not`)"
            raise fault(NKI1082, what=what, expression="a mask")
        return Mask.decided(self.conditions)

    def __repr__(self) -> str:
        return "<mask " + " & ".join(f"{c!r} >= 0" for c in self.conditions) + ">"


def as_expr(value: Any) -> IndexExpr | None:
    """`value` as an expression: itself, or an integer."""
    if isinstance(value, IndexExpr):
        return value
    number = plain_int(value)
    return None if number is None else IndexExpr(number)


def arange(*args: Any) -> IndexExpr:
    """``nl.arange(n)``, ``(start, stop)`` or with a step: a range along one dimension."""
    numbers = [plain_int(a) for a in args]
    if not 1 <= len(args) <= 3 or None in numbers:
        raise fault(NKI1080, fn="nl.arange", got=", ".join(map(shown, args)))
    found = range(*numbers)  # type: ignore[arg-type]  # none of them is None
    if not found:
        raise fault(NKI1080, fn="nl.arange", got=", ".join(map(str, args)))
    return IndexExpr(found.start, (len(found),), (found.step,))


class Grid(tuple[IndexExpr, ...]):
    """What ``nl.mgrid[...]`` gives: one expression per dimension, also as ``.p``, ``.x``, ...

    The first is `p`; of the others the last is `x`, the one before it `y`, then `z` and `w`.
    """

    __slots__ = ()

    @property
    def p(self) -> IndexExpr:
        """The index of partitions."""
        return self[0]

    def __getattr__(self, name: str) -> IndexExpr:
        places = "xyzw"
        if name not in places or places.index(name) + 1 >= len(self):
            raise AttributeError(f"this grid has no {name}")
        return self[-1 - places.index(name)]


class _MGrid:
    """``nl.mgrid[0:128, 0:512]``."""

    def __getitem__(self, key: Any) -> Grid:
        keys = key if isinstance(key, tuple) else (key,)
        ranges = []
        for k in keys:
            if not isinstance(k, slice) or k.stop is None:
                raise fault(NKI1080, fn="nl.mgrid", got=shown(k))
            parts = [0 if k.start is None else k.start, k.stop, 1 if k.step is None else k.step]
            numbers = [plain_int(n) for n in parts]
            if None in numbers or not range(*numbers):  # type: ignore[arg-type]  # just tested
                raise fault(NKI1080, fn="nl.mgrid", got=shown(k))
            ranges.append(range(*numbers))  # type: ignore[arg-type]  # just tested
        made = []
        for dim, one in enumerate(ranges):
            shape = tuple(len(one) if d == dim else 1 for d in range(len(ranges)))
            steps = tuple(one.step if d == dim else 0 for d in range(len(ranges)))
            made.append(IndexExpr(one.start, shape, steps))
        return Grid(made)


mgrid = _MGrid()


def concrete_base(base: Base) -> int:
    """The value of `base` in the present trips, which are traced alone from here on."""
    if isinstance(base, int):
        return base
    loops: Any = nki_ctx("nl.affine_range").symbolic
    return base.evaluate({var.name: loops.alone(var.name) for var, _ in base.terms})


def _bounds(base: AffineExpr) -> tuple[int, int]:
    """Bounds of `base` over the trips that its loops have now."""
    loops: Any = nki_ctx("nl.affine_range").symbolic
    low = high = base.const
    for var, coeff in base.terms:
        first, last = loops.span(var)
        low += min(coeff * first, coeff * last)
        high += max(coeff * first, coeff * last)
    return low, high


def _sum(a: Base, b: Base) -> Base:
    return b + a if isinstance(b, AffineExpr) else a + b


def _broadcast(a: IndexExpr, b: IndexExpr) -> tuple[Shape, tuple[Shape, Shape]]:
    """The common shape, as NumPy has it, and the steps of both in it. Raises: NKI1081."""
    rank = max(a.ndim, b.ndim)
    shape, steps = [], ([], [])  # type: tuple[list[int], tuple[list[int], list[int]]]
    for k in range(rank):
        sizes = []
        for one, into in zip((a, b), steps, strict=True):
            at = k - (rank - one.ndim)
            sizes.append(one.shape[at] if at >= 0 else 1)
            into.append(one.steps[at] if at >= 0 else 0)
        if sizes[0] != sizes[1] and 1 not in sizes:
            raise fault(NKI1081, expression=f"{a!r} with {b!r}, whose shapes do not combine")
        shape.append(max(sizes))
    return tuple(shape), (tuple(steps[0]), tuple(steps[1]))


def _full(keys: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    given = [k for k in keys if k is not Ellipsis and k is not None]
    missing = (slice(None),) * (ndim - len(given))
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        return (*keys[:at], *missing, *keys[at + 1 :])
    return (*keys, *missing)


def _refused(what: str) -> Exception:
    return fault(NKI1081, expression=what)
