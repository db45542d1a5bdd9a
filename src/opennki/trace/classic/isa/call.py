"""A call of `nki.isa` of the first generation: published parameters, operands, result, mask.

What a call computes is the instruction of the same name. Here is what the first generation adds:
results are returned, a mask leaves a part of the operands, NumPy's functions are operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from inspect import signature
from typing import Any

from opennki.base.codes import NKI1007, NKI1101, NKI2105, NKI2109
from opennki.base.dtypes import DType, bool_, float32, uint8
from opennki.ir import Access, Inst, InstrSpec, Space
from opennki.isa.enums import ActFunc, AluOp, DgeMode
from opennki.isa.range_select import FILL
from opennki.trace.classic.calls import APART, Masked, made
from opennki.trace.classic.index import IndexExpr
from opennki.trace.classic.masks import part
from opennki.trace.classic.tiles import ClassicTensor, Spans, Window
from opennki.trace.enums import MEANING, dge_mode, engine, oob_mode, reduce_cmd
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_number, shown
from opennki.trace.sema import isa
from opennki.trace.sema.creation import in_sbuf, ndarray, scratch
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or

from .operators import act_func, alu_op

Shape = tuple[int, ...]
Rule = Callable[["Call"], Any]
Function = Callable[..., Any]


class Part:
    """What the mask of a call leaves of a tile of `shape`, and of the operands beside it.

    Args: apart, whether each element is computed by itself, as `Masked` says.
    Attributes: masked, the part; nothing, whether there is none; spans, the box that is computed.
    """

    def __init__(self, shape: Shape, mask: Any, *, apart: bool = False) -> None:
        self.masked = Masked(shape, mask, apart=apart)
        self.shape = shape
        self.nothing = self.masked.nothing
        self.spans: Spans = self.masked.hull or [(0, 0)] * len(shape)

    def of(self, view: Any) -> Any:
        """The part of an operand that has the dimensions of the tile; anything else stays."""
        if not isinstance(view, ClassicTensor):
            return view
        return self.along(view, range(len(view.shape)))

    def bytes_of(self, view: ClassicTensor) -> ClassicTensor:
        """As `of`; booleans are bytes to the instruction."""
        found = self.along(view, range(len(view.shape)))
        if found.dtype != bool_:
            return found
        return Window(
            found.tensor, found.offset, found.shape, found.strides, uint8, par=found.par
        )  # fmt: skip

    def rows(self, view: Any) -> Any:
        """The part of an operand that has only the partitions in common with the tile."""
        return self.along(view, [0]) if isinstance(view, ClassicTensor) else view

    def copied(self, view: ClassicTensor, dims: Iterable[int | None] | None = None) -> Any:
        """As `along`; a copy in SBUF of what is in PSUM, for engines that do not reach it."""
        found = self.along(view, range(len(view.shape)) if dims is None else dims)
        if self.nothing:
            return found
        return in_sbuf(nki_ctx("mask="), found, f"{view.tensor.name}_copy")

    def along(self, view: ClassicTensor, dims: Iterable[int | None]) -> ClassicTensor:
        """The part of `view`, whose dimensions are these of the tile; None, and those left out,
        are not of the tile."""
        if self.nothing:
            return view
        box = [(0, size) for size in view.shape]
        for k, dim in zip(range(len(box)), dims, strict=False):
            if dim is not None and dim < len(self.shape) and view.shape[k] == self.shape[dim]:
                box[k] = self.spans[dim]
        return part(view, view.shape, box)

    def whole(self, dims: Iterable[int]) -> bool:
        """Whether the mask leaves all of these dimensions."""
        return all(self.spans[k] == (0, self.shape[k]) for k in dims)


class Call:
    """One call: the instruction it is of, and its arguments by the names of its parameters."""

    def __init__(self, fn: str, name: str, given: dict[str, Any]) -> None:
        self.name = name
        self.given = given
        self.ctx = nki_ctx(f"nisa.{fn}")
        self.spec = _spec(name)
        self.dst: ClassicTensor | None = None
        for key, value in given.items():
            if isinstance(value, IndexExpr) and not value.shape and key != "expr":
                given[key] = value.concrete(f"`{key}`")

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    # ---- operands ----------------------------------------------------------------------------

    def tile(self, name: str) -> ClassicTensor:
        """The argument `name`, which must be a tensor where the instruction can reach it.

        Raises: NKI1007, NKI2105, NKI2109.
        """
        value, ctx = self.given[name], self.ctx
        if not isinstance(value, ClassicTensor):
            facts = {"fn": self.spec.call, "expected": "a tensor", "got": shown(value)}
            raise ctx.refusal(NKI1007, name=name, operand=name, **facts)
        ctx.symbolic.uses(value.tensor)
        spaces = self.spec.fields[name].spaces  # type: ignore[union-attr]  # an operand
        space = value.tensor.space
        if space not in spaces:
            allowed = " or ".join(sorted({s.name for s in spaces}))
            writes = name == "dst"
            facts = {"got": space.name, "inst": self.spec.label, "allowed": allowed}
            facts |= {"takes": "writes it to" if writes else "takes it from"}
            facts |= {"target" if writes else "source": name}
            raise ctx.refusal(NKI2105, operand=name, **facts)
        if space.on_chip and len(value.shape) < 2:
            raise ctx.refusal(NKI2109, operand=name, rank=len(value.shape))
        return value

    def vector(self, name: str) -> Any:
        """The argument `name`: a tile, or what may stand for one (a number, nothing)."""
        value = self.given[name]
        return self.tile(name) if isinstance(value, ClassicTensor) else value

    def near(self, name: str) -> ClassicTensor:
        """The argument `name`, a tile that may also be in PSUM: `Part.copied` brings it to SBUF.

        Source: NKI 0.1 ISA reference, whose calls on GpSimd, and whose transfers, name no memory;
        published kernels multiply by what nc_transpose has just left in PSUM.
        """
        value = self.given[name]
        in_psum = isinstance(value, ClassicTensor) and value.tensor.space is Space.psum
        return value if in_psum else self.tile(name)

    def scalar(self, name: str) -> Any:
        """The argument `name` of arithmetic: a number, or a (P, 1) tile, which becomes float32.

        Model: the instruction takes float32 vectors only; published kernels give others too.
        """
        value = self.vector(name)
        if isinstance(value, ClassicTensor) and value.dtype.is_float and value.dtype != float32:
            wide: Any = scratch(self.ctx, f"{value.tensor.name}_{name}", value.shape, float32)
            isa.CALLS["tensor_copy"](wide, Part(value.shape, None).of(value))
            return wide
        return value

    # ---- results -------------------------------------------------------------------------------

    def kind(self, default: DType) -> DType:
        """The dtype of the result: what ``dtype=`` asks for. Raises: NKI3004."""
        return dtype_or(self.ctx, self.given.get("dtype"), default)

    def result(self, shape: Sequence[int], kind: DType, space: Space = Space.sbuf) -> ClassicTensor:
        """The tile that the call returns."""
        if self.given.get("buffer") is not None:
            space = self.given["buffer"]
        self.dst = made(self.ctx, self.name, tuple(shape), kind, space)
        return self.dst

    def allocated(self, shape: Any) -> ClassicTensor:
        """A tile of a shape and a dtype that the caller wrote. Raises: NKI3001 to NKI3004."""
        found: Any = ndarray(shape, self["dtype"])
        return found  # type: ignore[no-any-return]  # of a kernel of the first generation

    def like(self, view: ClassicTensor, kind: DType | None = None) -> ClassicTensor:
        """The tile that the call returns, in the shape of `view` and, unless given, its dtype."""
        return self.result(view.shape, self.kind(kind or view.dtype))

    def part(self, view: ClassicTensor) -> Part:
        """What the call's mask leaves of a tile like `view`."""
        return Part(view.shape, self.given.get("mask"), apart=self.name in APART)

    def whole(self, found: Part, dims: Iterable[int], why: str) -> None:
        """Refuse a mask that cuts one of these dimensions. Raises: NKI1101."""
        if not found.nothing and not found.whole(dims):
            raise self.ctx.refusal(NKI1101, fn=self.spec.call, why=why)

    # ---- the instruction -----------------------------------------------------------------------

    def emit(self, where: Part, **operands: Any) -> Inst | None:
        """Append the instruction, unless the mask holds nowhere.

        Args: operands, by name, as the mask leaves them; attributes are the call's arguments.
        """
        self._remember(where, operands.get("dst"))
        if where.nothing:
            return None
        for key, value in self.given.items():
            if key in _parameters(self.name) and key not in operands:
                operands[key] = self._attribute(key, value)
        operands["name"] = self._unused(self.given.get("name"))
        if "dst" in self.given and self.given.get("dtype") is not None:
            operands["dtype"] = self.given["dtype"]  # it may repeat that of `dst`
        self._note(operands)
        return isa.CALLS[self.name](**operands)  # type: ignore[no-any-return]  # a handle

    def _remember(self, where: Part, written: Any) -> None:
        """Remember which part of the result is computed, for what it is assigned to.

        It is the part of the tile that the mask is over, if results are element by element; else
        the one of the view `written`, which says where it is in a tile like the result.
        """
        dst = self.dst
        if dst is None:
            return
        if self.name in APART:
            where.masked.makes(dst)
        elif where.nothing:
            _only(dst, [])
        elif written.shape != dst.shape:
            first, box = written.offset, []
            for size, step, count in zip(dst.shape, dst.strides, written.shape, strict=True):
                start = first // step % size
                box.append((start, start + count))
            _only(dst, [box])

    def _note(self, operands: dict[str, Any]) -> None:
        """Remember what of PSUM something else than a product writes: products add to that."""
        for operand in self.spec.operands:
            view = operands.get(operand.name)
            if operand.access is Access.INP or operand.accumulate is not None:
                continue
            if isinstance(view, ClassicTensor) and view.tensor.space is Space.psum:
                self.ctx.symbolic.filled.add(view.tensor)

    def _unused(self, name: Any) -> Any:
        """`name`, or with a number if an instruction has it: a call may run more than once.

        Source: NKI 0.1, whose published kernels name instructions of loops and functions.
        """
        found = name
        while isinstance(found, str) and found in self.ctx.builder.named:
            found = self.ctx.unique(name)
        return found

    def _attribute(self, name: str, value: Any) -> Any:
        kind = getattr(self.spec.fields.get(name), "type", None)
        if kind is AluOp:
            return alu_op(value)
        if kind is ActFunc:
            return act_func(value)
        if kind is DgeMode and plain_number(value) is not None:
            return DGE_NUMBERS.get(value, value)
        return value


def _only(dst: ClassicTensor, boxes: list[Spans]) -> None:
    """Remember that of `dst`, a new tile, these boxes are computed."""
    made_of = Masked(dst.shape, None)
    made_of.boxes = boxes
    made_of.makes(dst)


@cache
def _spec(name: str) -> InstrSpec:
    call: Any = isa.CALLS[name]
    return call.__nki_inst__.spec  # type: ignore[no-any-return]  # a mark of the surface


@cache
def _parameters(name: str) -> frozenset[str]:
    """Parameters of the instruction's call."""
    return frozenset(signature(isa.CALLS[name]).parameters)


DGE_NUMBERS = {0: dge_mode.none, 1: dge_mode.swdge, 2: dge_mode.hwdge, 3: dge_mode.unknown}
"""Members of `dge_mode` by the numbers that they have in the first generation.

Source: NKI 0.1 ISA reference, dge_mode.
"""


def meant(value: Any) -> Any:
    """The engine that an ``engine=`` means; None for what the instruction will refuse."""
    if value.__class__ is int:
        value = next((m for m in engine if m.value == value), None)
    try:
        return MEANING.get(value)
    except TypeError:  # a value without a hash is no engine
        return None


_DEFAULTS = {
    "engine": engine, "dge_mode": dge_mode, "oob_mode": oob_mode, "reduce_cmd": reduce_cmd,
    "AluOp": AluOp, "FP32_MIN": FILL,
}  # fmt: skip
"""What the defaults of published parameters are made of."""


def published(parameters: str, of: str = "") -> Callable[[Rule], Function]:
    """Make the function that kernels call of a rule, with the parameters that are published.

    Args: parameters, with their defaults; of, name of the instruction's call, if it is another
        than the rule's. The rule gets the `Call`; its name is the
    function's, and so is its docstring. Nothing else is accepted.
    """

    def make(rule: Rule) -> Function:
        name = rule.__name__
        scope: dict[str, Any] = {**_DEFAULTS, "Call": Call, "rule": rule}
        call = f"Call({name!r}, {of or name!r}, locals())"
        source = f"def {name}({parameters}):\n    return rule({call})\n"
        exec(compile(source, f"<opennki classic {name}>", "exec"), scope)
        function: Function = scope[name]
        function.__doc__ = rule.__doc__
        function.__module__ = "neuronxcc.nki.isa"
        return nki_function()(function)

    return make
