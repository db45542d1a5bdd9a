"""Where operands are whose place depends on run-time indices. What runs with them is `detour`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI6020
from opennki.base.diag import NkiError, diagnostic, problem
from opennki.base.numerics import storage
from opennki.ir import Index, Inst, Tensor, View, describe, row_major, snake_group
from opennki.isa.enums import OobMode

from .memory import Storage, Window
from .uses import FULL

Array = NDArray[Any]


@dataclass
class Spot:
    """Where the elements of an indirect view are.

    Attributes: view, as the instruction has it; direct, the same place as a view at a number, if it
    is one; addresses, elements of `view.dtype` from the start of the storage, in the view's shape;
    valid, which of them the indices allow and the storage has.
    """

    view: View
    direct: View | None
    addresses: Array
    valid: Array

    def picked(self, store: Storage) -> Array:
        """The elements; those that are not valid are the storage's first."""
        rows, row = _rows(store, self.view)
        at = np.where(self.valid, self.addresses, 0)
        found: Array = rows[at // row, at % row]
        return found

    def marks(self, store: Storage) -> Array | None:
        """Which valid elements nothing has written yet; None if there are none."""
        marks = store.marks(*everything(store, self.view))
        if marks is None:
            return None
        missing = (marks != FULL[marks.dtype.itemsize])[np.where(self.valid, self.addresses, 0)]
        missing &= self.valid
        return missing if missing.any() else None

    def element(self, chosen: Array) -> list[int]:
        """The first element marked in `chosen`, as indices into its tensor."""
        tensor = self.view.tensor
        place = int(self.addresses[tuple(np.argwhere(chosen)[0])])
        place = place * self.view.dtype.itemsize // tensor.dtype.itemsize
        return [int(i) for i in np.unravel_index(place, tensor.shape)]

    def put(self, store: Storage, values: Array, where: Array) -> None:
        """Store the elements `where`; of two in one place the last one stays."""
        at = self.addresses[where]
        rows, row = _rows(store, self.view)
        rows[at // row, at % row] = values[where]
        marks = store.marks(*everything(store, self.view))
        if marks is not None:
            marks[at] = marks.dtype.type(FULL[marks.dtype.itemsize])

    def spread(self, store: Storage, where: Array) -> Array:
        """`where` as marks over all elements of the storage."""
        marks = np.zeros(everything(store, self.view).shape, np.bool_)
        marks[self.addresses[where & self.valid]] = True
        return marks

    @classmethod
    def at_number(cls, view: View) -> Spot:
        """The spot of a view without an index."""
        inner = view.const_offset + _inner(view.shape, view.strides)
        return cls(view, view, inner, np.ones(view.shape, np.bool_))


def locate(inst: Inst, view: View, indices: Array) -> Spot:
    """Where `view` is for these values of its index (int64, in the order of the index's tile).

    Raises: NKI6020 for an index or an address that is out of range, unless `inst` skips those.
    """
    index = view.index
    assert index is not None
    start = view.const_offset
    strides = view.strides
    if index.vector:
        strides = (0, *strides[1:])
    elif index.snake:
        strides = (*strides[:-1], 0)
    inner = _inner(view.shape, strides)
    chosen = np.broadcast_to(_chosen(inst, view, index, indices), view.shape)
    addresses = start + chosen * index.stride + inner
    size = prod(view.tensor.shape) * view.tensor.dtype.itemsize // view.dtype.itemsize
    valid = (chosen >= 0) & (chosen < index.limit) & (addresses >= 0) & (addresses < size)
    if view.tensor.space.on_chip:
        down = np.arange(view.shape[0]).reshape(-1, *[1] * (len(view.shape) - 1))
        valid &= addresses // view.row == start // view.row + down
    if not valid.all() and getattr(inst, "oob_mode", OobMode.error) is OobMode.error:
        raise _out_of_range(inst, view, index, chosen, addresses, size)
    direct = None
    if not index.vector and not index.snake and valid.all():
        offset = start + int(chosen.flat[0]) * index.stride
        direct = View(view.tensor, offset, view.shape, view.strides, view.dtype)
    return Spot(view, direct, addresses, valid)


def _chosen(inst: Inst, view: View, index: Index, indices: Array) -> Array:
    """The index of every element, in a form that broadcasts to the view's shape."""
    if index.vector:
        rows = indices.T.reshape(-1)[: view.shape[0]]
        return rows.reshape(-1, *[1] * (len(view.shape) - 1))
    if not index.snake:
        return indices.reshape(-1)[:1]
    group = min(snake_group(inst.engine.nki), indices.shape[0])
    partition = np.arange(view.shape[0])[:, None] // group * group
    number = np.arange(view.shape[-1])[None, :]
    found: Array = indices[partition + number % group, number // group]
    return found


def _inner(shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """Where each element is, counted from the first."""
    inner = np.zeros(shape, np.int64)
    for axis, (step, count) in enumerate(zip(strides, shape, strict=True)):
        along = [1] * len(shape)
        along[axis] = count
        inner += (step * np.arange(count)).reshape(along)
    return inner


def _out_of_range(
    inst: Inst, view: View, index: Index, chosen: Array, addresses: Array, size: int
) -> NkiError:
    bad = (chosen < 0) | (chosen >= index.limit)
    place = ""
    if not bad.any():
        bad = (addresses < 0) | (addresses >= size)
        if bad.any():
            first = tuple(np.argwhere(bad)[0])
            place = f"; the view then reaches element {int(addresses[first])} of {size}"
        else:
            bad = np.ones(view.shape, np.bool_)
            place = "; the view then leaves its partitions"
    wrong = chosen[tuple(np.argwhere(bad)[0])]
    facts: dict[str, Any] = {
        "inst": inst.spec.label, "index": int(wrong), "tensor": view.tensor.name,
        "last": index.limit - 1, "place": place,
    }  # fmt: skip
    shown = [(o.name, describe(v)) for o, v in inst.views()]
    return NkiError([diagnostic(problem(NKI6020, **facts), inst.loc, shown)])


def scratch(name: str, view: View, values: Array | None, precise: bool) -> tuple[View, Storage]:
    """A tensor like `view` in a storage of its own, with `values` in it (None: not filled)."""
    shape = view.shape
    if view.tensor.space.on_chip and len(shape) < 2:
        shape = (*shape, 1)
    tensor = Tensor(name, shape, view.dtype, view.tensor.space, loc=view.tensor.loc)
    store = Storage(tensor, precise=precise)
    if values is not None:
        store.window(0, view.shape, row_major(view.shape), view.dtype)[...] = values
        store.written = None
    return View(tensor, 0, view.shape, row_major(view.shape), view.dtype), store


def everything(store: Storage, view: View) -> Window:
    """All marks of a storage, or all of one in HBM, as one row of elements of the view's dtype."""
    place = store.place
    width = storage(view.dtype, store.precise).itemsize
    total = prod(place.shape) * store.width // width
    return Window(0, (total,), (1,), view.dtype)


def _rows(store: Storage, view: View) -> tuple[Array, int]:
    """All of a storage by leading index (partition), and the elements that each of them has.

    On chip its partitions need not lie one after the other.
    """
    row = store.row_bytes // storage(view.dtype, store.precise).itemsize
    return store.window(0, (store.place.shape[0], row), (row, 1), view.dtype), row
