"""`VirtualRegister`: the value that kernels hold for a register of the engines' sequencers."""

from __future__ import annotations

from typing import Any, NoReturn

from opennki.base.codes import NKI1042
from opennki.ir import Tensor, View

from .fault import also, fault
from .nki_ctx import nki_ctx_or_none


class VirtualRegister:
    """A register of 32 bits, made by `nisa.register_alloc` or as the index of a run-time loop.

    It bounds and steers run-time loops, and chooses what a view selects. Its value exists on the
    device only: Python can neither compute with it nor test it, but in ``while reg:``.

    Attributes: tensor, the storage it stands for; frozen, whether it is the index of a
    dynamic_range loop, which nothing may write; floating, whether it was last loaded from float32.
    """

    __slots__ = ("floating", "frozen", "tensor")

    def __init__(self, tensor: Tensor, frozen: bool = False) -> None:
        self.tensor = tensor
        self.frozen = frozen
        self.floating = False

    @property
    def name(self) -> str:
        """Name of the register."""
        return self.tensor.name

    @property
    def view(self) -> View:
        """The window that instructions take for it."""
        return View.whole(self.tensor)

    def __bool__(self) -> bool:
        ctx = nki_ctx_or_none()
        if ctx is None:
            self._refuse("a condition")
        return bool(ctx.loops.condition(self))

    def __index__(self) -> NoReturn:
        self._refuse("conversion to an integer (int(), range(), a slice)")

    __int__ = __trunc__ = __index__

    def __float__(self) -> NoReturn:
        self._refuse("conversion to a float")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | float):
            self._refuse("a comparison")
        return self is other

    __hash__ = object.__hash__

    def __deepcopy__(self, memo: object) -> VirtualRegister:
        """Itself: a copy of an object that holds registers holds the same registers."""
        return self

    def __repr__(self) -> str:
        return f"<register {self.name}>"

    def _refuse(self, what: str) -> NoReturn:
        instead = "use it as a bound or condition of nl.fori_loop, nl.while_loop or "
        instead += "nl.dynamic_range, or to index: x.select(dim, reg), x[nl.ds(reg, size)], "
        instead += "scalar_offset; compute in SBUF and load the result with nisa.register_load"
        raise also(TypeError, fault(NKI1042, what=what, register=self.name, instead=instead))


def _operator(what: str) -> Any:
    def refuse(self: VirtualRegister, *others: object) -> NoReturn:
        self._refuse(what)

    return refuse


for _method in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
    "rshift",
):  # fmt: skip
    for _prefix in ("", "r", "i"):
        setattr(VirtualRegister, f"__{_prefix}{_method}__", _operator("arithmetic in Python"))
for _method in ("neg", "abs", "invert", "pos"):
    setattr(VirtualRegister, f"__{_method}__", _operator("arithmetic in Python"))
for _method in ("lt", "le", "gt", "ge"):
    setattr(VirtualRegister, f"__{_method}__", _operator("a comparison"))
