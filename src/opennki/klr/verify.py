"""Rules of whole kernels: what every KLR kernel must keep, whoever made it.

Rules about operands of single operators are those of `opennki.isa`. Here:

- labels are unique, branches lead to blocks, and only the last statement of a block branches
- a no-reorder block ends in a jump and has no other control flow
- tensors fit within their addresses; equal names are described equally; accesses stay inside
- statements that have a name have one of their own in their body; edges name statements
- registers that are read are set somewhere in the body
- operands that are paired are equally many

Source: KLR abstract syntax, "Containers"; KLR lowering. `access_rules` has the rules of accesses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from typing import Final

from opennki.base.codes import (
    NKI4004,
    NKI4005,
    NKI4201,
    NKI4202,
    NKI4204,
    NKI4207,
    NKI4208,
    NKI4210,
)
from opennki.base.diag import Diagnostic, Problem, Problems, diagnostic, problem
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest

from .access_rules import MAX_DIMS, access_problems, tensor_problems
from .enums import BrCmpOp, Memory
from .kernel import Block, Kernel, LncKernel, Stmt
from .movement_operators import (
    CmpBranch,
    CollectiveOp,
    CurrentProcessingRankId,
    DmaCompute,
    RankId,
    RegisterAluOp,
    RegisterMove,
    SendRecvCompute,
    TensorLoad,
    TensorStore,
)
from .operators import Operator
from .syntax import Node, walk
from .tensors import Address, APPair, RegOffset, Shape, TensorName

_SETTERS: Final = (
    RegisterMove, TensorLoad, RegisterAluOp, RankId, CurrentProcessingRankId,
)  # fmt: skip
_REDUCED: Final = "collectivePermuteImplicitReduce"
"""The one collective with two sources for each destination."""

MAX_NAME: Final = 100
"""Longer names are cut in messages."""

MAX_KNOWN: Final = 300
"""Among more names no similar one is looked for, once for each of perhaps as many problems."""


def verify(kernel: Kernel | LncKernel) -> list[Diagnostic]:
    """Every violation of a rule, in the order of the kernel.

    Each has the location of its statement: `Stmt.loc`, or where that is unknown, `Stmt.pos`.
    """
    tensors = _Tensors()
    found: list[Diagnostic] = []
    ends = [*kernel.inputs, *kernel.outputs]
    if isinstance(kernel, LncKernel):
        ends += kernel.sharedBuffers
    bodies = kernel.bodies if isinstance(kernel, LncKernel) else [kernel.body]
    for tensor in ends:
        found += _placed(tensors.problems(tensor), tensor.loc)
    found += _placed(_twice("input", (t.name for t in kernel.inputs)), UNKNOWN)
    for body in bodies:
        found += _Body(body, _Tensors(tensors)).run()
    if isinstance(kernel, LncKernel):
        found += _placed(_edge_problems(kernel), UNKNOWN)
    return found


def location(stmt: Stmt) -> SrcLoc:
    """Where a statement comes from, as well as that is known."""
    if stmt.loc is not UNKNOWN:
        return stmt.loc
    pos = stmt.pos
    return SrcLoc(pos.filename or "<unknown>", pos.line, pos.column, pos.columnEnd or 0)


def _placed(problems: Iterable[Problem], loc: SrcLoc) -> list[Diagnostic]:
    return [diagnostic(found, loc) for found in problems]


def _twice(kind: str, names: Iterable[str]) -> Problems:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield problem(NKI4004, kind=kind, name=name)
        seen.add(name)


class _Tensors:
    """What is known of tensors and addresses by name; equal objects are looked at once.

    Args: all, what is known of those that every core shares, by which those of a body are measured.
    """

    def __init__(self, all: _Tensors | None = None) -> None:
        self._all = all
        self._known: dict[tuple[type, str], Node] = {} if all is None else dict(all._known)
        self._seen: dict[int, TensorName] = {}

    def problems(self, tensor: TensorName) -> Problems:
        """What is wrong with a tensor, by itself and beside others of its name."""
        if self._seen.get(id(tensor)) is tensor:
            return
        self._seen[id(tensor)] = tensor
        known = self._known.get((TensorName, tensor.name))
        if known is None:
            yield from tensor_problems(tensor)
        address = list(self._differences("address", tensor.address.name, tensor.address))
        yield from address or self._differences("tensor", tensor.name, tensor)
        if self._all is not None and _is_shared(tensor.address) and not address:
            yield from self._all.problems(tensor)

    def _differences(self, kind: str, name: str, at: Address | TensorName) -> Problems:
        known = self._known.setdefault((type(at), name), at)
        if known == at:
            return
        for field in fields(at):
            one, other = getattr(known, field.name), getattr(at, field.name)
            if field.compare and one != other:
                facts = {"field": field.name, "one": _brief(one), "other": _brief(other)}
                yield problem(NKI4204, kind=kind, name=name, **facts)
                return


def _is_shared(address: Address) -> bool:
    return address.isShared or address.memory is Memory.shared_hbm


def _brief(value: object) -> str:
    """A field's value as it reads in a message."""
    if isinstance(value, Address):
        return f"`{_short(value.name)}`"
    if isinstance(value, Shape):
        dims = (value.parDim, *value.freeDims[:MAX_DIMS])
        return (
            str(dims) if len(dims) <= MAX_DIMS else f"one of {len(value.freeDims) + 1} dimensions"
        )
    return str(value)


def _short(name: str) -> str:
    """A name for a message, and for the search of one like it, which takes quadratic time."""
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}..."


def _undefined(kind: str, name: str, known: Collection[str]) -> Problem:
    short = _short(name)
    return problem(NKI4005, kind=kind, name=short, close=_close(short, known))


def _close(name: str, known: Collection[str]) -> str:
    """The name among `known` that was probably meant; none where there are very many."""
    return nearest(name, sorted(map(_short, known))) if 0 < len(known) <= MAX_KNOWN else ""


class _Body:
    """Checks the blocks of one core."""

    def __init__(self, blocks: list[Block], tensors: _Tensors) -> None:
        self._blocks = blocks
        self._tensors = tensors
        self._labels = {block.label for block in blocks}
        stmts = [stmt for block in blocks for stmt in block.body]
        self._set = {s.op.args.dst for s in stmts if isinstance(s.op.args, _SETTERS)}
        self._psum: set[str] = set()

    def run(self) -> list[Diagnostic]:
        """Every problem of the body, in its order."""
        found = _placed(_twice("block", (b.label for b in self._blocks)), UNKNOWN)
        names: set[str] = set()
        for block in self._blocks:
            found += self._order(block)
            for stmt in block.body:
                found += _placed(self._statement(stmt, names), location(stmt))
        for block in self._blocks:
            found += _placed(self._begun(block), UNKNOWN)
        return found

    def _order(self, block: Block) -> Iterator[Diagnostic]:
        """Branches stand at the end; a no-reorder block has a jump there and nothing else."""
        count = len(block.body)
        branches = [(i, s) for i, s in enumerate(block.body) if isinstance(s.op.args, CmpBranch)]
        for i, stmt in branches:
            if i < count - 1:
                fault = problem(NKI4201, block=block.label, position=i + 1, count=count)
                yield diagnostic(fault, location(stmt))
            if block.noReorder and not _is_jump(stmt.op):
                fault = problem(NKI4202, block=block.label, why="has a conditional branch")
                yield diagnostic(fault, location(stmt))
        if block.noReorder and not (branches and branches[-1][0] == count - 1):
            fault = problem(NKI4202, block=block.label, why="does not end in a jump")
            yield diagnostic(fault, location(block.body[-1]) if block.body else UNKNOWN)

    def _statement(self, stmt: Stmt, names: set[str]) -> Problems:
        if stmt.name is not None:
            if stmt.name in names:
                yield problem(NKI4004, kind="statement", name=stmt.name)
            names.add(stmt.name)
        op = stmt.op
        if isinstance(op.args, CmpBranch):
            yield from self._targets(op.args)
        parts = list(walk(op, TensorName, APPair))
        for at in parts:
            if isinstance(at, TensorName):
                yield from self._tensors.problems(at)
                if at.address.memory is Memory.psum:
                    self._psum.add(at.name)
        yield from access_problems(parts)
        for name in _read_registers(op, parts):
            if name not in self._set:
                short = _short(name)
                yield problem(NKI4207, name=short, op=op.kind, close=_close(short, self._set))
        yield from _pairing(op)

    def _targets(self, branch: CmpBranch) -> Problems:
        labels = [branch.trueLabel]
        if branch.op is not BrCmpOp.always:
            labels.append(branch.falseLabel)
        for label in labels:
            if label not in self._labels:
                yield _undefined("block", label, self._labels)

    def _begun(self, block: Block) -> Problems:
        for name in block.begins:
            if name not in self._psum:
                yield _undefined("tensor in PSUM", name, self._psum)


def _is_jump(op: Operator) -> bool:
    return isinstance(op.args, CmpBranch) and op.args.op is BrCmpOp.always


def _read_registers(op: Operator, parts: Iterable[Node]) -> Iterator[str]:
    """Names of registers that an operator reads, those of offsets among them."""
    args = op.args
    if isinstance(args, CmpBranch):
        if args.op is not BrCmpOp.always:
            yield args.reg1
        if args.op.klr.endswith("_reg"):
            yield args.reg2
    elif isinstance(args, (TensorStore, RegisterAluOp)):
        yield args.src
    for at in parts:
        if isinstance(at, RegOffset):
            yield at.r


def _pairing(op: Operator) -> Problems:
    """Lists of an operator whose items belong together have the same length."""
    args = op.args
    if isinstance(args, CollectiveOp):
        expected = len(args.dsts) * (2 if op.kind == _REDUCED else 1)
        yield from _counted(op, "srcs", len(args.srcs), expected)
    elif isinstance(args, DmaCompute):
        yield from _counted(op, "scales", len(args.scales), len(args.srcs))
    elif isinstance(args, SendRecvCompute):
        yield from _counted(op, "sendToRanks", len(args.sendToRanks), len(args.srcs))
        yield from _counted(op, "recvFromRanks", len(args.recvFromRanks), len(args.dsts))


def _counted(op: Operator, what: str, got: int, expected: int) -> Problems:
    if got != expected:
        yield problem(NKI4208, op=op.kind, what=what, got=got, expected=expected)


def _edge_problems(kernel: LncKernel) -> Problems:
    """Edges name statements of the core that they are for, or of any core."""
    per_core = [
        {s.name for block in body for s in block.body if s.name is not None}
        for body in kernel.bodies
    ]
    every = set().union(*per_core)
    for edge in kernel.edges:
        known = every
        if edge.core is not None:
            if edge.core >= len(per_core):
                cores = [str(i) for i in range(len(per_core))]
                yield _undefined("core", str(edge.core), cores)
                continue
            known = per_core[edge.core]
        for name in (edge.fromEdge, *edge.toEdges):
            if name not in known:
                yield _undefined("statement", name, known)
        if edge.fromEdge in edge.toEdges:
            yield problem(NKI4210, name=edge.fromEdge)
