"""`nl.loop_reduce`: what the trips of loops make, combined in the place that it is assigned to.

``t[...] = nl.loop_reduce(x, op=np.add, loop_indices=[k])`` is ``t[...] = x`` in the first trip of
the loop over k, and ``t[...] = t + x`` in every other one.
Source: NKI 0.1 language reference, loop_reduce. Model: it is computed in the dtype of `t`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opennki.base.codes import NKI1007, NKI1126
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import shown
from opennki.trace.sema.marks import nki_function

from .calls import Masked, operand
from .index import as_expr
from .tiles import ClassicTensor

_OPERATORS: Final = {
    "add": "add", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum",
    "max": "maximum", "min": "minimum", "amax": "maximum", "amin": "minimum",
}  # fmt: skip
"""Function of nki.language that a function of NumPy or of nki.language combines by."""


class LoopSum:
    """A result that is complete when loops have ended. Only item assignment takes it."""

    def __init__(self, x: ClassicTensor, name: str, indices: list[Any], mask: Any) -> None:
        self._x = x
        self._name = name
        self._indices = indices
        self._mask = mask

    def into(
        self, dst: ClassicTensor, assign: Callable[..., None], combine: Callable[..., None]
    ) -> None:
        """Make `dst` the result so far.

        Args: assign and combine, ``dst = x`` and ``dst = op(dst, x)`` where a mask holds.
        Raises: NKI1126 if the loops do not begin at 0.
        """
        if all(not Masked((), index == 0).nothing for index in self._indices):
            assign(dst, self._x)
            return
        if not dst.tensor.written:
            instead = "let the loop begin at 0, so that its first trip is known"
            raise fault(NKI1126, name="nl.loop_reduce", instead=instead)
        combine(nki_ctx("nl.loop_reduce"), self._name, dst, self._x, dst, self._mask)


@nki_function()
def loop_reduce(
    x: Any, op: Any, loop_indices: Any, *, dtype: Any = None, mask: Any = None, name: str = ""
) -> LoopSum:
    """The tiles `x` of all trips of the loops over `loop_indices`, combined by `op`.

    Args: op, addition, multiplication, maximum or minimum; dtype, of the tile that the result is
        assigned to; mask, elements that take part; name, by which the original told it.
    Raises: NKI1007 for other operators and indices, NKI1126 for loops that do not begin at 0.
    """
    fn = "nl.loop_reduce"
    data = operand(nki_ctx(fn), "loop_reduce", "x", x)
    chosen = _OPERATORS.get(getattr(op, "__name__", ""))
    if chosen is None:
        raise fault(NKI1007, name="op", fn=fn, expected="nl.add or the like", got=shown(op))
    given = loop_indices if isinstance(loop_indices, list | tuple) else [loop_indices]
    found = [as_expr(index) for index in given]
    if not found or any(index is None or index.shape for index in found):
        got = ", ".join(map(shown, given)) or "nothing"
        raise fault(NKI1007, name="loop_indices", fn=fn, expected="indices of loops", got=got)
    return LoopSum(data, chosen, found, mask)
