"""`Machine`: executes one instruction at a time on simulated storage.

It gathers operands, widens them, calls the instruction's `sem`, rounds, masks, accumulates and
stores. Interpreters of each level only walk their form and hand instructions to a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import (
    NKI6001,
    NKI6002,
    NKI6004,
    NKI6005,
    NKI6007,
    NKI6008,
    NKI6009,
    NKI6010,
)
from opennki.base.diag import (
    Code,
    Diagnostic,
    NkiError,
    Problem,
    Problems,
    Severity,
    diagnostic,
    problem,
)
from opennki.base.dtypes import PACKED, DType, int32, uint32
from opennki.base.numerics import INFINITE_FP8, from_f32, storage, to_f32
from opennki.ir import Inst, Operand, Read, Register, Space, View, describe
from opennki.ir.masked import Masked
from opennki.isa.enums import Engine, ReduceCmd

from .memory import Storage, Window
from .uses import FULL, Uses

Array = NDArray[Any]
Find = Callable[[Any], Storage]

WIDE_INTS = frozenset({int32, uint32})
"""Integers that float32 does not hold all of."""

EXACT = 2.0**24
"""Below this float32 holds every integer."""


@dataclass
class Options:
    """How to simulate.

    precise: round to narrow dtypes (NKI_PRECISE_FP); strict: reading memory that nothing wrote is
    an error instead of a warning; accumulate_any: PSUM may accumulate onto what any instruction
    wrote, not only onto products.
    """

    precise: bool = True
    strict: bool = False
    accumulate_any: bool = True


@dataclass
class Machine:
    """One core's engines.

    Attributes: find, place -> storage; options; core, its number among those that share storage;
    registers, what each engine keeps for every partition between instructions; diagnostics, what
    was noticed while running; printer, sink of device_print.
    """

    find: Find
    options: Options = field(default_factory=Options)
    core: int = 0
    registers: dict[tuple[Engine, Register | None], Array] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    printer: Callable[[str], None] | None = None
    _owner: dict[Engine, str] = field(default_factory=dict)
    _writer: dict[str, Engine] = field(default_factory=dict)
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def execute(self, inst: Inst) -> None:
        """Run `inst`.

        Raises: NkiError for what `inst` cannot do with these operands (its `watch`), together with
            what it was warned of; and (NKI6002) when memory that nothing wrote is read and `strict`
            is on.
        """
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
            self._check_sums(inst, operands, results)
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

    def warn(self, inst: Inst, found: Problems) -> None:
        """Warn of what was `found` on a line, each code once.

        Raises: NkiError for an error among it, together with earlier warnings of the line.
        """
        for one in found:
            if one.code.severity is Severity.error:
                told = [earlier for earlier in self.diagnostics if earlier.loc is inst.loc]
                raise NkiError([*told, diagnostic(one, inst.loc, _shown(inst))])
            self._warn(inst, one.code, one.facts)

    def order(self, views: Sequence[View]) -> None:
        """All cores have come to a point that orders their uses of what is in all `views`.

        Args: views, one for each core, of one tensor.
        """
        store = self.find(views[0].tensor)
        if store.uses is not None:
            store.uses.forget({store.marked(_window(view)) for view in views})

    def _check_sums(self, inst: Inst, operands: list[Any], results: tuple[Any, ...]) -> None:
        """Warn of integers computed from integers that float32 has rounded: float64 tells."""
        outs = [o for o in inst.spec.outs if _dtype(inst, o) in WIDE_INTS]
        told = (NKI6009, inst.loc, None) in self._seen
        if told or not outs or not any(_is_int(inst, o) for o in inst.spec.ins):
            return
        large = [isinstance(r, np.ndarray) and bool((np.abs(r) >= EXACT).any()) for r in results]
        if not any(large):
            return
        with np.errstate(all="ignore"):
            wide = [o.astype(np.float64) if isinstance(o, np.ndarray) else o for o in operands]
            exact = inst.sem(*wide)  # type: ignore[attr-defined]  # as in `execute`
        for operand, one, values in zip(
            inst.spec.outs, exact if len(results) > 1 else (exact,), results, strict=True
        ):
            if operand not in outs or not isinstance(one, np.ndarray):
                continue
            top = np.iinfo(storage(getattr(inst, operand.name).dtype)).max
            lost = (one != values) & (np.abs(one) <= top) & (one == np.trunc(one))
            if lost.any():
                first = tuple(np.argwhere(lost)[0])
                facts = {
                    "inst": inst.spec.label, "operand": operand.name, "count": int(lost.sum()),
                    "value": int(one[first]), "got": int(values[first]),
                }  # fmt: skip
                self._warn(inst, NKI6010, facts)

    # ---- reading -----------------------------------------------------------------------------

    def values(self, view: View) -> Array:
        """A copy of the present contents of `view`, without checks."""
        store = self.find(view.tensor)
        return store.window(view.const_offset, view.shape, view.strides, view.dtype).copy()

    def _gather(self, inst: Inst, operand: Operand, mode: Read, value: Any) -> Any:
        read = operand.read or mode
        if value is None:
            return None
        if not isinstance(value, View):
            return np.float32(value) if read is Read.F32 else int(value)
        store = self.find(value.tensor)
        array = store.window(value.const_offset, value.shape, value.strides, value.dtype)
        if store.uses is not None:
            marked = store.marked(_window(value))
            raced = store.uses.unordered_read(self.core, marked)
            if raced is not None:
                self._warn_race(inst, "reads", "wrote", value, raced, store.uses)
            store.uses.note_read(self.core, marked)
        if operand.shape[-1] != "...":
            array = array.reshape(value.shape[0], prod(value.shape[1:]))
        if read is Read.RAW:
            return array
        if read is Read.INT:
            return array.astype(np.int64)
        values = to_f32(array, value.dtype, store.precise)
        if value.dtype in WIDE_INTS:
            self._check_exact(inst, operand, array, values)
        return values

    def _check_exact(self, inst: Inst, operand: Operand, array: Array, values: Array) -> None:
        """Warn of integers that float32, in which the engine computes, does not hold.

        The largest of all is left out: a float that was too large has become that.
        """
        lost = (values.astype(np.float64) != array) & (array != np.iinfo(array.dtype).max)
        if lost.any():
            first = tuple(np.argwhere(lost)[0])
            facts = {
                "inst": inst.spec.label, "operand": operand.name, "count": int(lost.sum()),
                "value": int(array[first]), "got": int(values[first]),
            }  # fmt: skip
            self._warn(inst, NKI6009, facts)

    def _warn_race(
        self, inst: Inst, does: str, did: str, view: View, raced: Array, uses: Uses
    ) -> None:
        """Warn of a race, once per line for all cores."""
        if inst.loc in uses.told:
            return
        uses.told.add(inst.loc)
        facts = {
            "inst": inst.spec.label, "does": does, "did": did, "count": int(raced.sum()),
            "tensor": view.tensor.name, "element": _first(raced, view),
        }  # fmt: skip
        self._warn(inst, NKI6008, facts)

    def _check_written(self, inst: Inst, operand: Operand, view: Any, operands: list[Any]) -> None:
        """Look for elements of `view` that matter and that nothing has written."""
        store = self.find(view.tensor) if isinstance(view, View) else None
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
            if not missing.any():
                return
        key = (NKI6001, inst.loc, view.tensor.name)
        if key in self._seen and not self.options.strict:
            return
        self._seen.add(key)
        facts = {
            "tensor": view.tensor.name, "element": _first(missing, view),
            "count": int(missing.sum()),
            "inst": inst.spec.label,
        }  # fmt: skip
        code = NKI6002 if self.options.strict else NKI6001
        found = diagnostic(problem(code, operand=operand.name, **facts), inst.loc, _shown(inst))
        self.diagnostics.append(found)
        if self.options.strict:
            raise NkiError([found])

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
        """Warn of a sum that is continued after another kind of instruction used the registers."""
        command = getattr(inst, "reduce_cmd", ReduceCmd.ZeroAccumulate)
        label = inst.spec.label
        other = self._owner.get(inst.engine, label)
        if command is ReduceCmd.Accumulate and other != label:
            self._warn(inst, NKI6007, {"inst": label, "other": other})
        if command is not ReduceCmd.Idle:
            self._owner[inst.engine] = label

    # ---- writing -----------------------------------------------------------------------------

    def _store(self, inst: Inst, operand: Operand, view: View, values: Any) -> None:
        store = self.find(view.tensor)
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
            self._claim(inst, view, window, stored, mask, store)
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

    def _claim(
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
                    self._warn_race(inst, "overwrites", did, view, raced & differs, uses)
                    break
        uses.note_write(self.core, marked, where, changed)

    def _accumulate(
        self, inst: Inst, operand: Operand, view: View, values: Array, old: Array,
        marks: Array | None,
    ) -> Array:  # fmt: skip
        adds = getattr(inst, operand.accumulate or "")
        known = True if marks is None else marks == FULL[marks.dtype.itemsize]
        if adds is False or (adds is None and not np.any(known)) or view.dtype in PACKED:
            return values  # packed elements are moved: there is no sum of them
        name = view.tensor.name
        if adds is True and not np.all(known):
            self._warn(inst, NKI6004, {"tensor": name})
        elif not self.options.accumulate_any and self._writer.get(name) is not inst.engine:
            self._warn(inst, NKI6005, {"tensor": name})
        before = to_f32(old, view.dtype)
        total = before + values
        return np.asarray(np.where(known, total, values), np.float32)

    # ---- the rest ----------------------------------------------------------------------------

    def _warn(self, inst: Inst, code: Code, facts: dict[str, object]) -> None:
        key = (code, inst.loc, facts.get("tensor"))
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic(Problem(code, facts), inst.loc, _shown(inst)))

    def _print(self, inst: Inst, operands: list[Any]) -> None:
        if self.printer is not None:
            prefix: str = inst.prefix  # type: ignore[attr-defined]
            self.printer(f"{prefix}{'' if prefix.endswith((':', '=')) else ':'} {operands[0]}")


def _dtype(inst: Inst, operand: Operand) -> DType | None:
    view = getattr(inst, operand.name)
    return view.dtype if isinstance(view, View) else None


def _is_int(inst: Inst, operand: Operand) -> bool:
    dtype = _dtype(inst, operand)
    return dtype is not None and dtype.is_int


def _window(view: View) -> Window:
    return Window(view.const_offset, view.shape, view.strides, view.dtype)


def _first(marked: Array, view: View) -> list[int]:
    """The first marked element of a view, as indices into its tensor."""
    steps = zip(np.argwhere(marked)[0].tolist(), view.strides, strict=True)
    place = view.const_offset + sum(i * s for i, s in steps)
    tensor = view.tensor
    place = place * view.dtype.itemsize // tensor.dtype.itemsize
    return [int(i) for i in np.unravel_index(place, tensor.shape)]


def _shown(inst: Inst) -> list[tuple[str, str]]:
    return [(o.name, describe(v)) for o, v in inst.views()]


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
