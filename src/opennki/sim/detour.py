"""Instructions with run-time indices: they run on operands that were found, or brought, before.

A view with one index that stays inside its storage becomes a view at a number. Everything else
goes through scratch storage: rows that indices select are gathered there before the instruction
runs, and scattered from there afterwards. What lies outside of a tensor and may be skipped is not
scattered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI6027
from opennki.base.diag import Code
from opennki.ir import Access, Inst, Operand, View
from opennki.penguin.substitute import put

from .indirect import Spot, everything, locate, scratch
from .memory import Storage
from .uses import Uses

Array = NDArray[Any]


class Runner(Protocol):
    """What a detour needs of the machine that it is for."""

    scratch: dict[str, Storage]
    core: int

    def storage(self, place: Any) -> Storage:
        """The storage of a tensor."""

    def direct(self, inst: Inst) -> None:
        """Run an instruction without run-time indices."""

    def check_written(self, inst: Inst, name: str, view: View, store: Storage) -> None:
        """Look for elements that nothing has written."""

    def report_unwritten(
        self, inst: Inst, name: str, view: View, first: list[int], count: int
    ) -> None:
        """Warn of elements that nothing has written."""

    def warn_once(self, inst: Inst, code: Code, facts: dict[str, object]) -> None:
        """Warn on the line of an instruction."""

    def warn_race(
        self, inst: Inst, does: str, did: str, view: View, count: int, element: list[int],
        uses: Uses,
    ) -> None:  # fmt: skip
        """Warn that another program did something to what this one uses."""


class Detour:
    """One run of one instruction.

    Attributes: machine; inst; keep, which elements of the result are stored, where some of what it
    is made from was skipped; finish, what is done after the instruction ran.
    """

    def __init__(self, machine: Runner, inst: Inst) -> None:
        self.machine = machine
        self.inst = inst
        self.keep: Array | None = None
        self.finish: list[Callable[[], None]] = []

    def run(self) -> None:
        """Locate, gather, run, scatter. Raises: NKI6020; what running raises."""
        inst = self.inst
        spots = {o.name: self._spot(o, v) for o, v in inst.views() if v.index is not None}
        for operand, _ in inst.views():
            spot = spots.get(operand.name)
            if spot is not None and operand.access is Access.INP and not spot.valid.all():
                moved = inst.placed(spot.valid)  # type: ignore[attr-defined]  # transfers have it
                self.keep = moved if self.keep is None else self.keep & moved
        if getattr(inst, "unique_indices", False):
            self._repeated(spots)
        fields = {name: getattr(inst, name) for name in inst.spec.order}
        for operand, view in inst.views():
            spot = spots.get(operand.name)
            stays = operand.access is Access.INP or self.keep is None
            if spot is None and stays:
                continue
            if spot is not None and spot.direct is not None and stays:
                found = spot.direct
            else:
                found = self._through(operand, spot or Spot.at_number(view))
            put(fields, operand.name, found)
        run: Inst = type(inst)(**fields, engine=inst.engine, name=inst.name, loc=inst.loc)  # type: ignore[call-arg]
        try:
            self.machine.direct(run)
            for step in self.finish:
                step()
        finally:
            self.machine.scratch.clear()

    def _repeated(self, spots: dict[str, Spot]) -> None:
        """Warn of a row that is changed twice although the author said that none is."""
        for operand in self.inst.spec.outs:
            spot = spots.get(operand.name)
            index = None if spot is None else spot.view.index
            if spot is None or index is None or not index.vector:
                continue
            count = spot.addresses.shape[0]
            first = spot.addresses.reshape(count, -1)[spot.valid.reshape(count, -1).all(1), 0]
            places, times = np.unique(first, return_counts=True)
            if (times > 1).any():
                most = int(times.argmax())
                row = (int(places[most]) - spot.view.const_offset) // index.stride
                facts = {
                    "inst": self.inst.spec.label, "row": row, "count": int(times[most]),
                    "tensor": spot.view.tensor.name,
                }  # fmt: skip
                self.machine.warn_once(self.inst, NKI6027, facts)

    def _spot(self, operand: Operand, view: View) -> Spot:
        """Where an operand with a run-time index is."""
        assert view.index is not None
        source = view.index.source
        store = self.machine.storage(source.tensor)
        if store.written is not None:
            self.machine.check_written(self.inst, f"index of {operand.name}", source, store)
        found = store.window(source.const_offset, source.shape, source.strides, source.dtype)
        return locate(self.inst, view, found.astype(np.int64).reshape(source.shape[0], -1))

    def _through(self, operand: Operand, spot: Spot) -> View:
        """Scratch storage that stands for an operand."""
        store = self.machine.storage(spot.view.tensor)
        if operand.access is Access.INP:
            self._reads(operand, spot, store)
        name = f"{spot.view.tensor.name} for {operand.name}"
        view, held = scratch(name, spot.view, spot.picked(store), store.precise)
        self.machine.scratch[name] = held
        if operand.access is not Access.INP:
            where = spot.valid if self.keep is None else spot.valid & self.keep

            def put() -> None:
                values = held.window(0, view.shape, view.strides, view.dtype)
                self._writes(spot, store, values, where)
                spot.put(store, values, where)

            self.finish.append(put)
        return view

    def _reads(self, operand: Operand, spot: Spot, store: Storage) -> None:
        """Report elements that are read and that nothing wrote, or another core did."""
        inst, view = self.inst, spot.view
        if store.written is not None and (missing := spot.marks(store)) is not None:
            first, count = spot.element(missing), int(missing.sum())
            self.machine.report_unwritten(inst, operand.name, view, first, count)
        if store.uses is not None:
            marked = store.marked(everything(store, view))
            raced = store.uses.unordered_read(self.machine.core, marked)
            if raced is not None:
                self._race("reads", "wrote", spot, raced, store.uses)
            touched = spot.spread(store, spot.valid)
            store.uses.note_read(self.machine.core, marked, touched)

    def _writes(self, spot: Spot, store: Storage, values: Array, where: Array) -> None:
        """Report elements that are overwritten and that another core wrote or read."""
        uses, core = store.uses, self.machine.core
        if uses is None:
            return
        window = everything(store, spot.view)
        marked = store.marked(window)
        before = store.window(*window)
        touched = spot.spread(store, where)
        after = np.array(before)
        after[spot.addresses[where]] = values[where]
        kind = f"u{after.itemsize}"
        differs = (np.ascontiguousarray(before).view(kind) != after.view(kind)) & touched
        wrote, read = uses.unordered_write(core, marked)
        for did, raced in (("wrote", wrote), ("read", read)):
            if raced is not None and (raced & differs).any():
                self._race("overwrites", did, spot, raced & differs, uses)
                break
        changed = differs if wrote is None else differs | ~wrote
        uses.note_write(core, marked, touched, changed)

    def _race(self, does: str, did: str, spot: Spot, marks: Array, uses: Uses) -> None:
        raced = marks[np.where(spot.valid, spot.addresses, 0)] & spot.valid
        if raced.any():
            count, element = int(raced.sum()), spot.element(raced)
            self.machine.warn_race(self.inst, does, did, spot.view, count, element, uses)
