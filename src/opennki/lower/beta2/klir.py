"""`KlirToBirCodegen`: KLR to BIR, statement by statement, by the rules of each operator family."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from opennki import klr
from opennki.base.codes import NKI4501
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.passes import Observe, Stages
from opennki.birpy import BasicBlock, EdgeKind, Function, Instruction, Module, TensorKind
from opennki.target import Target

from .accumulate import has_derived, settle_accumulation
from .control import join, structured
from .refused import REFUSED
from .rules import RULES
from .site import Site, Storages


class KlirToBirCodegen:
    """Lowers a KLR kernel to a BIR module with a function for every core.

    Attributes: target; structure, whether branches become loops again, as the back end wants it;
    otherwise a function has the blocks of the kernel, but for those that only follow another.
    """

    def __init__(self, target: Target, *, structure: bool = True) -> None:
        self.target = target
        self.structure = structure

    def run_on_kernel(self, kernel: klr.LncKernel, observe: Observe | None = None) -> Module:
        """The module of `kernel`.

        Args: observe, told after each of the steps `lower`, `structure`, `settle-products`.
        Raises: NKI4501 for what is not lowered, NKI4502 for control flow that is not that of loops.
        """
        stages = Stages(observe)
        cores = range(len(kernel.bodies))
        made = [BodyLowering(kernel, core, self.target).run() for core in cores]
        module = Module(made, self.target.arch)
        stages.done("lower", module)
        if self.structure:
            for function in made:
                function.blocks = [BasicBlock("Block1", structured(function))]
            stages.done("structure", module)
        for function in made:
            if self.structure:
                settle_accumulation(function)
            else:
                _settle_blocks(function)
        stages.done("settle-products", module)
        return module


def _settle_blocks(function: Function) -> None:
    """Settle the products of a function of blocks, and join blocks that only follow each other."""
    if has_derived(function):
        settle_accumulation(_with_loops(function))
    join(function)


def _with_loops(function: Function) -> Function:
    """The same instructions in loops; `function` keeps its blocks and registers."""
    blocks = [BasicBlock(b.name, list(b.instructions)) for b in function.blocks]
    inputs, outputs = list(function.inputs), list(function.outputs)
    made = Function(function.name, dict(function.memlocs), blocks, inputs, outputs)
    made.blocks = [BasicBlock("Block1", structured(made))]
    return made


class BodyLowering:
    """State of lowering the body of one core."""

    def __init__(self, kernel: klr.LncKernel, core: int, target: Target) -> None:
        self.kernel = kernel
        self.core = core
        cores = len(kernel.bodies)
        kinds = {t.name: TensorKind.ExternalOutput for t in kernel.outputs}
        kinds |= {t.name: TensorKind.ExternalInput for t in kernel.inputs}
        kinds |= {c.name: TensorKind.Const for c in kernel.sharedConstants}
        self.storages = Storages(kinds, kernel.constants)
        self.site = Site(self.storages, target, core, cores)
        self.taken = {s.name for b in kernel.bodies[core] for s in b.body if s.name is not None}
        self.count = 0

    def run(self) -> Function:
        """The function: its blocks are those of the body."""
        kernel = self.kernel
        for tensor in (*kernel.inputs, *kernel.outputs):
            self.storages.of_tensor(tensor)
        body = kernel.bodies[self.core]
        self.site.begins = {block.label: tuple(block.begins) for block in body if block.begins}
        blocks = [self._block(block) for block in body]
        self.storages.finish()
        self._edges(blocks)
        for block, made in zip(kernel.bodies[self.core], blocks, strict=True):
            if block.noReorder:
                _chain(made)
        one = len(kernel.bodies) == 1
        name = kernel.name if one else f"{kernel.name}_core{self.core}"
        inputs = [t.name for t in kernel.inputs]
        outputs = [t.name for t in kernel.outputs]
        function = Function(name, self.storages.memlocs, blocks, inputs, outputs)
        identities = self.storages.identities.values()
        blocks[0].instructions[:0] = [fill for fill, _ in identities] if identities else []
        for fill, storages in identities:
            function.adopt(storages, fill)
        return function

    def _block(self, block: klr.Block) -> BasicBlock:
        made = BasicBlock(block.label)
        for stmt in block.body:
            made.instructions.append(self._statement(stmt))
        return made

    def _statement(self, stmt: klr.Stmt) -> Instruction:
        site = self.site
        site.loc = stmt.loc if stmt.loc is not UNKNOWN else place(stmt.pos)
        site.name = stmt.name or self._fresh()
        rule = RULES.get(stmt.op.kind)
        if rule is None:
            raise fail(
                NKI4501, site.loc, what="operator", got=stmt.op.kind, statement=f"`{site.name}`",
                notes=[REFUSED[stmt.op.kind]],
            )  # fmt: skip
        site.check_dtype(stmt.op)
        return rule(stmt.op.args, site)

    def _fresh(self) -> str:
        while True:
            name = f"I-{self.count}"
            self.count += 1
            if name not in self.taken:
                return name

    def _edges(self, blocks: Sequence[BasicBlock]) -> None:
        """Turn the kernel's edges into dependences, in the order of what must come before."""
        insts = [i for b in blocks for i in b.instructions if isinstance(i, Instruction)]
        known = {inst.name: number for number, inst in enumerate(insts)}
        before: dict[int, set[int]] = {}
        for edge in self.kernel.edges:
            if edge.fromEdge in known and edge.core in (None, self.core):
                for name in edge.toEdges:
                    if name in known:
                        before.setdefault(known[name], set()).add(known[edge.fromEdge])
        for later, earlier in before.items():
            insts[later].dependencies = tuple(
                (insts[number].name, EdgeKind.Ordered) for number in sorted(earlier)
            )


def _chain(block: BasicBlock) -> None:
    """The body of a no-reorder block: each instruction depends on the one before."""
    body = [i for i in block.instructions if isinstance(i, Instruction)]
    for before, after in pairwise(body):
        edge = (before.name, EdgeKind.Ordered)
        if after.opcode not in BRANCHES and edge not in after.dependencies:
            after.dependencies = (*after.dependencies, edge)


BRANCHES: Final = ("CompareAndBranch", "UnconditionalBranch")


def place(pos: klr.Pos) -> SrcLoc:
    """The source location of a position."""
    if not pos.line:
        return UNKNOWN
    return SrcLoc(pos.filename or "", pos.line, pos.column, pos.columnEnd or 0)
