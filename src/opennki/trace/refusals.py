"""What would need a tensor's elements, and is refused: operators, conversions, assignment."""

from __future__ import annotations

import difflib
from typing import Any, NoReturn

from opennki.base.codes import NKI1002, NKI1003, NKI1031, NKI1061, NKI3031
from opennki.base.diag import Code, NkiError, problem
from opennki.ir import View, describe

from .fault import fault
from .nki_ctx import nki_ctx_or_none
from .plain import plain_number
from .view_methods import ViewMethods


class MissingAttribute(NkiError, AttributeError):
    """The diagnostic for an attribute that tensors do not have; an AttributeError too."""


class Refusals(ViewMethods):
    """Python's operators and conversions, each refused with what to use instead."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """True for what may be an argument that is None: HBM, and tiles of several elements.

        Raises: NKI1002 for a tile of one element, whose value is meant.
        """
        ctx = nki_ctx_or_none()
        if ctx is not None and (self.tensor.space.is_hbm or self.size != 1):
            ctx.report(problem(NKI1061, name=self.tensor.name), ctx.loc())
            return True
        needed("a condition (`if`, `while`, `and`, `or`, `not`, bool())", self)

    def __iter__(self) -> NoReturn:
        needed("iteration", self, size=self.shape[0])

    __reversed__ = __iter__

    def __delitem__(self, key: Any) -> NoReturn:
        _fail(NKI1031, name=self.tensor.name)

    def __format__(self, spec: str) -> str:
        """As text; number formats are refused, because there are no numbers yet."""
        try:
            return format(repr(self), spec)
        except ValueError:
            needed("formatting as a number", self)

    def __index__(self) -> NoReturn:
        needed("conversion to an integer", self)

    def __float__(self) -> NoReturn:
        needed("conversion to a float", self)

    def __complex__(self) -> NoReturn:
        needed("conversion to a complex number", self)

    def __round__(self, *digits: object) -> NoReturn:
        needed("rounding", self)

    __int__ = __trunc__ = __index__
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> NoReturn:
        """What to say of a method that tensors do not have."""
        if name.startswith("__"):
            raise AttributeError(name)
        known = [n for n in dir(type(self)) if not n.startswith("_")]
        close = difflib.get_close_matches(name, known, 1)
        found = fault(NKI3031, name=name, close=close[0] if close else "")
        raise MissingAttribute(found.diagnostics)


def _operator(name: str, function: str, of: str = "a, b", *, swapped: bool = False) -> Any:
    """A method that refuses the operator `name` and says which `function` computes the same.

    Args: of, arguments that it takes; swapped, whether the tensor is the right operand.
    """

    def refuse(self: Refusals, *others: object) -> Any:
        if name in ("==", "!=") and not isinstance(others[0], View | int | float):
            return NotImplemented
        if name == "==" and others[0] is self:
            return True
        number = bool(others) and plain_number(others[0]) is not None
        instruction = _INSTRUCTIONS.get(name, "")
        if not instruction and others:
            instruction = f"nisa.tensor_tensor with op={function}"
            if number:
                instruction = f"nisa.tensor_scalar with op0={function}"
                instruction += " and reverse0=True" if swapped else ""
        comparison = "a comparison" if name in _COMPARISONS else ""
        called = f"{function}({of})"
        _fail(
            NKI1003, op=name, function=called, instruction=instruction, comparison=comparison,
        )  # fmt: skip

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_INSTRUCTIONS = {
    "@": "nisa.nc_matmul", "//": "nisa.tensor_tensor with op=nl.divide", "in": "nisa.tensor_scalar",
}  # fmt: skip
"""Instructions of operators that no single ALU operator computes."""

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "in"})

for _method, _op, _use in (
    ("add", "+", "nl.add"), ("sub", "-", "nl.subtract"), ("mul", "*", "nl.multiply"),
    ("truediv", "/", "nl.divide"), ("matmul", "@", "nl.matmul"), ("mod", "%", "nl.mod"),
    ("pow", "**", "nl.power"), ("and", "&", "nl.bitwise_and"), ("or", "|", "nl.bitwise_or"),
    ("xor", "^", "nl.bitwise_xor"), ("lshift", "<<", "nl.left_shift"),
    ("rshift", ">>", "nl.right_shift"),
):  # fmt: skip
    for _prefix in ("", "r", "i"):
        _refusing = _operator(_op, _use, swapped=_prefix == "r")
        setattr(Refusals, f"__{_prefix}{_method}__", _refusing)
for _prefix in ("", "r", "i"):
    _refusing = _operator("//", "nl.floor", "nl.divide(a, b)")
    setattr(Refusals, f"__{_prefix}floordiv__", _refusing)
for _method, _op, _use, _of in (
    ("neg", "-", "nl.negative", "x"), ("abs", "abs()", "nl.abs", "x"),
    ("invert", "~", "nl.invert", "x"), ("lt", "<", "nl.less", "a, b"),
    ("le", "<=", "nl.less_equal", "a, b"), ("gt", ">", "nl.greater", "a, b"),
    ("ge", ">=", "nl.greater_equal", "a, b"), ("eq", "==", "nl.equal", "a, b"),
    ("ne", "!=", "nl.not_equal", "a, b"), ("contains", "in", "nl.equal", "a, b"),
):  # fmt: skip
    setattr(Refusals, f"__{_method}__", _operator(_op, _use, _of))


def needed(what: str, tensor: Refusals, **facts: object) -> NoReturn:
    """Refuse a use of Python that needs the elements of `tensor`."""
    _fail(NKI1002, what=what, tensor=describe(tensor), **facts)


def _fail(code: Code, **facts: object) -> NoReturn:
    raise fault(code, **facts)
