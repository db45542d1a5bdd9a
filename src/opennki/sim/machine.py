"""`Machine`: executes one instruction at a time on simulated storage.

It gathers operands, widens them, calls the instruction's `sem`, rounds, masks, accumulates and
stores. Interpreters of each level only walk their form and hand instructions to a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI6004, NKI6005, NKI6007
from opennki.base.dtypes import PACKED, DType, int32
from opennki.base.loc import SrcLoc
from opennki.base.numerics import INFINITE_FP8, from_f32, to_f32
from opennki.ir import Inst, Operand, Read, Register, Space, View
from opennki.ir.masked import Masked
from opennki.isa.enums import Engine, ReduceCmd

from .detour import Detour
from .memory import Storage, Window
from .notices import WIDE_INTS, Notices, first_of
from .uses import FULL

Array = NDArray[Any]
Find = Callable[[Any], Storage]


@dataclass
class Machine(Notices):
    """One core's engines.

    Attributes: find, place -> storage; core, its number among those that share storage; registers,
    what each engine keeps for every partition between instructions; printer, sink of device_print.
    """

    find: Find
    core: int = 0
    registers: dict[tuple[Engine, Register | None], Array] = field(default_factory=dict)
    printer: Callable[[str], None] | None = None
    _owner: dict[Engine, str] = field(default_factory=dict)
    _writer: dict[str, Engine] = field(default_factory=dict)
    scratch: dict[str, Storage] = field(default_factory=dict)

    def execute(self, inst: Inst) -> None:
        """Run `inst`.

        Raises: NkiError for what `inst` cannot do with these operands (its `watch`), together with
            what it was warned of; (NKI6002) when memory that nothing wrote is read and `strict` is
            on; (NKI6020) for a run-time index out of range.
        """
        for operand in inst.spec.operands:
            view = getattr(inst, operand.name, None)
            views = view or () if operand.many else (view,)
            if any(isinstance(v, View) and v.index is not None for v in views):
                Detour(self, inst).run()
                return
        self.direct(inst)

    def storage(self, place: Any) -> Storage:
        """The storage of a tensor, or what stands for it during the present instruction."""
        found = self.scratch.get(place.name)
        return self.find(place) if found is None else found

    def direct(self, inst: Inst) -> None:
        """Run an instruction without run-time indices."""
        spec = inst.spec
        mode = inst.read_mode()
        operands = [self._gather(inst, o, mode, getattr(inst, o.name)) for o in spec.ins]
        lanes = None
        if spec.state is not None:
            lanes = self._lanes(inst, spec.state)
            operands.append(lanes)
        for operand in spec.ins:
            self._check_written(inst, operand, getattr(inst, operand.name), operands)
        self.warn(inst, inst.watch(*operands))
        with np.errstate(all="ignore"):
            results = inst.sem(*operands)  # type: ignore[attr-defined]  # every class defines it
        if spec.state is not None:
            assert lanes is not None
            lanes[...] = results[-1]
            results = results[:-1]
        elif len(spec.outs) == 1:
            results = (results,)
        elif not spec.outs:
            self._print(inst, operands)
            return
        if mode is Read.F32 and spec.state is None:
            self.check_sums(inst, operands, results)
        self.put(inst, results)

    def gather(self, inst: Inst) -> list[Any]:
        """What an instruction that runs with others gives them: copies of what it reads.

        Raises: as `execute`.
        """
        mode, read = inst.read_mode(), [id(view) for view in inst.reads()]
        return [
            self._given(inst, o, mode) if id(getattr(inst, o.name)) in read else None
            for o in inst.spec.ins
        ]

    def _given(self, inst: Inst, operand: Operand, mode: Read) -> Array:
        """A copy of an operand, of which only those parts have to be written that matter."""
        whole = getattr(inst, operand.name)
        windows = inst.windows(operand.name)
        if windows is None:
            self._check_written(inst, operand, whole, [])
            return np.array(self._gather(inst, operand, mode, whole))
        for view in windows:
            self._check_written(inst, operand, view, [])
            self._gather(inst, operand, mode, view)
        return self.values(getattr(inst, operand.name)).astype(np.int64)

    def put(self, inst: Inst, results: tuple[Any, ...]) -> None:
        """Store what `inst` leaves in each of its results; None leaves one as it is."""
        for operand, values in zip(inst.spec.outs, results, strict=True):
            view = getattr(inst, operand.name)
            if view is not None and values is not None:
                self._store(inst, operand, view, values)

    def order(self, views: Sequence[View]) -> None:
        """All cores have come to a point that orders their uses of what is in all `views`.

        Args: views, one for each core, of one tensor.
        """
        store = self.find(views[0].tensor)
        if store.uses is not None:
            store.uses.forget({store.marked(_window(view)) for view in views})

    # ---- registers ---------------------------------------------------------------------------

    def register(self, place: Any, loc: SrcLoc, operand: str) -> int:
        """What a register holds that the loop at `loc` reads as its `operand`.

        Raises: NkiError (NKI6002) when nothing wrote it and `strict` is on.
        """
        store = self.find(place)
        if store.written is not None and not store.written.all():
            facts = {"tensor": place.name, "element": [0, 0], "count": 1}
            self.unwritten(loc, place, [], inst="a run-time loop", operand=operand, **facts)
        return int(store.window(0, (1,), (1,), int32)[0])

    def set_register(self, place: Any, value: int) -> None:
        """Let a register hold the lowest 32 bits of `value`."""
        store = self.find(place)
        bits = (value + 2**31) % 2**32 - 2**31
        store.window(0, (1,), (1,), int32)[0] = bits
        store.written = None

    def renew(self, places: Iterable[Any]) -> None:
        """What these tensors held no longer matters: a trip of a run-time loop makes them."""
        for place in places:
            self.find(place).renew()

    # ---- reading -----------------------------------------------------------------------------

    def values(self, view: View) -> Array:
        """A copy of the present contents of `view`, without checks."""
        store = self.find(view.tensor)
        return store.window(view.const_offset, view.shape, view.strides, view.dtype).copy()

    def _gather(self, inst: Inst, operand: Operand, mode: Read, value: Any) -> Any:
        if operand.many:
            return [self._read(inst, operand, one, mode) for one in value]
        return self._read(inst, operand, value, mode)

    def _read(self, inst: Inst, operand: Operand, value: Any, mode: Read) -> Any:
        read = operand.read or mode
        if value is None:
            return None
        if not isinstance(value, View):
            return np.float32(value) if read is Read.F32 else int(value)
        store = self.storage(value.tensor)
        array = store.window(value.const_offset, value.shape, value.strides, value.dtype)
        if store.uses is not None:
            marked = store.marked(_window(value))
            raced = store.uses.unordered_read(self.core, marked)
            if raced is not None:
                count, element = int(raced.sum()), first_of(raced, value)
                self.warn_race(inst, "reads", "wrote", value, count, element, store.uses)
            store.uses.note_read(self.core, marked)
        if operand.shape[-1] != "...":
            array = array.reshape(value.shape[0], prod(value.shape[1:]))
        if read is Read.RAW:
            return array
        if read is Read.INT:
            return array.astype(np.int64)
        values = to_f32(array, value.dtype, store.precise)
        if value.dtype in WIDE_INTS:
            self.check_exact(inst, operand, array, values)
        return values

    def _check_written(self, inst: Inst, operand: Operand, view: Any, operands: list[Any]) -> None:
        """Look for elements of `view` that matter and that nothing has written."""
        if operand.many:
            for number, one in enumerate(view):
                self.check_written(inst, f"{operand.name}[{number}]", one, self.storage(one.tensor))
            return
        store = self.storage(view.tensor) if isinstance(view, View) else None
        if store is None or store.written is None:
            return
        marks = store.marks(view.const_offset, view.shape, view.strides, view.dtype)
        if marks is None:
            return
        missing = marks != FULL[marks.dtype.itemsize]
        used = inst.partitions_read(operand.name)
        if used is not None:
            unused = np.ones(len(missing), np.bool_)
            unused[list(used)] = False
            missing[unused] = False
        if not missing.any():
            return
        examined = inst.examined(operand.name, *operands) if operands else None
        if examined is not None:
            missing &= np.reshape(examined, missing.shape)
        self.report_missing(inst, operand.name, view, missing)

    def check_written(self, inst: Inst, name: str, view: View, store: Storage) -> None:
        """Look for elements that are read and that nothing has written."""
        marks = store.marks(view.const_offset, view.shape, view.strides, view.dtype)
        if marks is not None:
            self.report_missing(inst, name, view, marks != FULL[marks.dtype.itemsize])

    def _lanes(self, inst: Inst, kept: Operand) -> Array:
        """The registers of its engine that `inst` reads and writes: its `state` operand."""
        key = (inst.engine, kept.register)
        registers = self.registers.get(key)
        if registers is None:
            registers = self.registers[key] = inst.initial_state()
        if kept.register is Register.ACCUMULATOR:
            self._check_owner(inst)
        if kept.everywhere:
            return registers
        first = next(inst.views())[1]
        start = first.start_partition + getattr(first.tensor, "start_partition", 0)
        return registers[start : start + first.shape[0]]

    def _check_owner(self, inst: Inst) -> None:
        """Warn of a sum that is continued after another kind of instruction used the registers.

        On the vector engine an idle instruction may use them, too; an instruction that is a form
        of another says so in `accumulates_as`.
        Source: NKI ISA reference, exponential and select_reduce, "Accumulator behavior".
        """
        command = getattr(inst, "reduce_cmd", ReduceCmd.ZeroAccumulate)
        label = getattr(inst, "accumulates_as", inst.spec.label)
        other = self._owner.get(inst.engine, label)
        if command is ReduceCmd.Accumulate and other != label:
            self.warn_once(inst, NKI6007, {"inst": label, "other": other})
        if command is not ReduceCmd.Idle:
            self._owner[inst.engine] = label
        elif inst.engine is Engine.DVE:
            self._owner[inst.engine] = f"an idle {label}"

    # ---- writing -----------------------------------------------------------------------------

    def _store(self, inst: Inst, operand: Operand, view: View, values: Any) -> None:
        store = self.storage(view.tensor)
        mask = None
        if isinstance(values, Masked):
            values, mask = values.values, np.reshape(values.mask, view.shape)
        values = np.reshape(values, view.shape)
        window = store.window(view.const_offset, view.shape, view.strides, view.dtype)
        marks = store.marks(view.const_offset, view.shape, view.strides, view.dtype)
        if operand.accumulate is not None:
            values = self._accumulate(inst, operand, view, values, window, marks)
        saturate = operand.saturates or view.dtype not in INFINITE_FP8
        kept = inst.read_mode() is Read.RAW and values.dtype == window.dtype
        if kept:  # bits, even those that rounding to tfloat32 would drop
            stored = values
        else:
            stored = _rounded(values, view.dtype, window.dtype, store.precise, saturate)
        if store.uses is not None:
            self.claim(inst, view, window, stored, mask, store)
        if view.tensor.space is Space.psum:
            self._writer[view.tensor.name] = inst.engine
        if mask is None:
            window[...] = stored
        else:
            np.copyto(window, stored, where=mask)
        if marks is None:
            return
        full = marks.dtype.type(FULL[marks.dtype.itemsize])
        if mask is not None:
            np.copyto(marks, full, where=mask)
        elif view.size == prod(view.tensor.shape) and view.is_whole():
            store.written = None
        else:
            marks[...] = full

    def claim(
        self, inst: Inst, view: View, window: Array, stored: Array, mask: Array | None,
        store: Storage,
    ) -> None:  # fmt: skip
        """Storage of several cores is written: warn where another core wrote or read otherwise."""
        uses = store.uses
        assert uses is not None
        marked = store.marked(_window(view))
        wrote, read = uses.unordered_write(self.core, marked)
        changed = where = np.broadcast_to(True if mask is None else mask, view.shape)
        if wrote is not None or read is not None:
            kind = f"u{window.itemsize}"
            differs = (window.view(kind) != stored.view(kind)) & where
            if wrote is not None:
                changed = ~wrote | differs
            for did, raced in (("wrote", wrote), ("read", read)):
                if raced is not None and (raced & differs).any():
                    both = raced & differs
                    count, element = int(both.sum()), first_of(both, view)
                    self.warn_race(inst, "overwrites", did, view, count, element, uses)
                    break
        uses.note_write(self.core, marked, where, changed)

    def _accumulate(
        self, inst: Inst, operand: Operand, view: View, values: Array, old: Array,
        marks: Array | None,
    ) -> Array:  # fmt: skip
        adds = getattr(inst, operand.accumulate or "")
        products = self.storage(view.tensor).multiplied(_window(view))
        full = products.dtype.type(FULL[products.dtype.itemsize])
        known: Any = True if marks is None else marks == full
        if adds is None:  # each element adds if a product wrote it
            known = products == full
        products[...] = full
        if adds is False or (adds is None and not np.any(known)) or view.dtype in PACKED:
            return values  # packed elements are moved: there is no sum of them
        name = view.tensor.name
        if adds is True and not np.all(known):
            self.warn_once(inst, NKI6004, {"tensor": name})
        elif not self.options.accumulate_any and self._writer.get(name) is not inst.engine:
            self.warn_once(inst, NKI6005, {"tensor": name})
        before = to_f32(old, view.dtype)
        total = before + values
        return np.asarray(np.where(known, total, values), np.float32)

    # ---- the rest ----------------------------------------------------------------------------

    def _print(self, inst: Inst, operands: list[Any]) -> None:
        if self.printer is not None:
            prefix: str = inst.prefix  # type: ignore[attr-defined]
            self.printer(f"{prefix}{'' if prefix.endswith((':', '=')) else ':'} {operands[0]}")


def _window(view: View) -> Window:
    return Window(view.const_offset, view.shape, view.strides, view.dtype)


def _rounded(
    values: Array, dtype: DType, kind: np.dtype[Any], precise: bool, saturate: bool
) -> Array:
    """`values` as they are stored: float32 is rounded, stored forms stay, integers wrap."""
    if values.dtype == kind and not (values.dtype == np.float32 and dtype != "float32"):
        return values
    if values.dtype == np.float32:
        return from_f32(values, dtype, precise, saturate)
    if values.dtype.kind in "iu" and dtype.is_int:
        return values.astype(kind)
    return from_f32(values.astype(np.float32), dtype, precise, saturate)
