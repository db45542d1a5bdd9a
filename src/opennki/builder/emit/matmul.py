"""Emit methods of matrix products: what `accumulate=None` means is decided here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from opennki.ir import Inst, Tensor, View
from opennki.isa.matmul import MatMulOp
from opennki.isa.mx import MatMulMXOp

Window = tuple[object, ...]

# Called with their fields in order, as every generated method does.
_MATMUL: Any = MatMulOp
_MATMUL_MX: Any = MatMulMXOp


class PsumWrites:
    """Which elements of each PSUM tensor a matrix product has written so far.

    In the body of a run-time loop, `outer` is what was written before the loop, and `own` are the
    tensors that the body makes: of all others an earlier trip may have written anything. `perhaps`
    are tensors that loops have written, if they ran.
    """

    def __init__(self, outer: PsumWrites | None = None) -> None:
        self.outer = outer
        self.own: set[Tensor] = set()
        self.perhaps: set[Tensor] = set()
        self._windows: dict[Tensor, set[Window]] = {}
        self._elements: dict[Tensor, np.ndarray[Any, np.dtype[np.bool_]]] = {}

    def inner(self) -> PsumWrites:
        """The same for the body of a run-time loop that begins here."""
        return PsumWrites(self)

    def absorb(self, inner: PsumWrites) -> None:
        """The run-time loop whose body `inner` is of is complete."""
        self.perhaps |= inner.perhaps | inner._windows.keys()

    def note(self, view: View) -> None:
        """Record that `view` was written; with a run-time index one never knows what was."""
        if view.index is not None:
            self._windows.setdefault(view.tensor, set())
            return
        windows = self._windows.setdefault(view.tensor, set())
        window = (view.offset, view.shape, view.strides)
        if window not in windows:
            windows.add(window)
            if view.tensor in self._elements:
                self._window(view)[...] = True

    def covers(self, view: View) -> bool | None:
        """True if all of `view` was written before, False if nothing was, else None: who knows."""
        found = self._covers(view)
        if not found and view.tensor in self.perhaps:
            return None
        if found or self.outer is None or view.tensor in self.own:
            return found
        return self.outer.covers(view) or None

    def _covers(self, view: View) -> bool | None:
        windows = self._windows.get(view.tensor)
        if windows is None:
            return False
        if view.index is not None:
            return None
        if (view.offset, view.shape, view.strides) in windows:
            return True
        if view.tensor not in self._elements:
            self._elements[view.tensor] = np.zeros(view.tensor.size, np.bool_)
            for offset, shape, strides in windows:
                self._window(View(view.tensor, offset, shape, strides, view.dtype))[...] = True  # type: ignore[arg-type]
        found = self._window(view)
        return None if found.any() and not found.all() else bool(found.all())

    def _window(self, view: View) -> Any:
        elements = self._elements[view.tensor]
        return as_strided(elements[view.const_offset :], view.shape, view.strides)


class MatmulEmit:
    """Mixin of `NeuronCodegen` for the products, which accumulate in PSUM."""

    add_named_instruction: Any
    psum_writes: PsumWrites

    def matmult(self, dst: View, *fields: Any) -> Inst:
        """Append a `MatMulOp`; arguments are its fields in order, the engine, the name."""
        return self._product(_MATMUL(dst, *fields))

    def matmult_mx(self, dst: View, *fields: Any) -> Inst:
        """Append a `MatMulMXOp`; arguments are its fields in order, the engine, the name."""
        return self._product(_MATMUL_MX(dst, *fields))

    def _product(self, inst: Any) -> Inst:
        """Append a product.

        ``accumulate=None`` becomes False where `dst` was not written before and True where it was
        written whole. Where only part of it was, None stays: each element adds if it was written.
        Source: NKI ISA reference, nc_matmul, "Accumulation mode". Model: only products count as
        writes, so that the first one overwrites what memset left, on every target.
        """
        if inst.accumulate is None:
            inst.accumulate = self.psum_writes.covers(inst.dst)
        inst.dst.tensor.written = True
        self.psum_writes.note(inst.dst)
        made: Inst = self.add_named_instruction(inst)
        return made

    def redirect(self, inst: Any, dst: View, accumulate: bool | None) -> None:
        """Let a product that was appended, and whose result nothing has used, write `dst`."""
        inst.dst, inst.accumulate = dst, accumulate
        dst.tensor.written = True

    def repeat(self, scope: list[Any], inst: Any, again: Any, dst: View) -> None:
        """Let the copy `again` of a product in `scope` write `dst`, right before `inst` runs."""
        again.dst, again.accumulate, again.name = dst, False, None
        dst.tensor.written = True
        scope.insert(next(i for i, one in enumerate(scope) if one is inst), again)
