"""KLR statements by hand, and what each becomes in BIR."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki import klr
from opennki.base.diag import NkiError
from opennki.birpy.printer import print_instruction
from opennki.lower.beta2 import KlirToBirCodegen
from opennki.target import target


def tensor(
    name: str, shape: tuple[int, ...], dtype: str = "float32", memory: str = "sbuf"
) -> klr.Abstract:
    """All of a tensor of its own, as an operand."""
    par, *free = shape
    kind = klr.Dtype[dtype]
    size = prod(free) * 4
    address = klr.Address(name, klr.Memory[memory], par, size)
    made = klr.TensorName(name, kind, klr.Shape(par, free), address, prod(free))
    pairs = [klr.APPair(prod(shape[k + 1 :]), n, 0) for k, n in enumerate(shape)]
    return klr.Abstract(klr.BirPattern(klr.BirAccessPattern(made, 0, pairs)))


def kernel(kind: str, args: klr.Node, core: int = 0, cores: int = 1) -> klr.LncKernel:
    """A kernel of one statement, which the body of `core` has."""
    stmt = klr.Stmt(klr.Operator(kind, args), None, klr.Pos(0))
    bodies = [
        [klr.Block("Block1", False, [stmt] if number == core else [])] for number in range(cores)
    ]
    return klr.LncKernel("kernel", [], [], bodies, [], [], [])


def lowered(kind: str, args: klr.Node, core: int = 0, cores: int = 1) -> str:
    """The BIR instruction of an operator, as text without its name."""
    module = KlirToBirCodegen(target("trn2")).run_on_kernel(kernel(kind, args, core, cores))
    (inst,) = module.functions[core].instructions()
    return print_instruction(inst).removeprefix("I-0 = ").strip()


def refused(kind: str, args: klr.Node, core: int = 0, cores: int = 1) -> str:
    """What the message says is unsupported."""
    with pytest.raises(NkiError) as caught:
        lowered(kind, args, core, cores)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI4501"
    head, in_statement = "unsupported ", " encountered in `I-0`"
    assert found.message.startswith(head)
    assert in_statement in found.message
    return found.message.removeprefix(head).replace(in_statement, "")


def is_plain(kind: str, args: klr.Node) -> bool:
    """Whether a kernel with this statement is one of the published syntax."""
    return not klr.uses_extensions(kernel(kind, args))


def called(function: Callable[[Any], Any], *shapes: str, on: str = "trn2", grid: Any = None) -> Any:
    """The KLR kernel of a call: `function` gets inputs as tiles, and what it returns is stored."""

    @nki.jit
    def kernel(*arrays):
        tiles = []
        for array in arrays:
            tile = nl.ndarray(array.shape, dtype=array.dtype, buffer=nl.sbuf)
            nisa.dma_copy(tile, array)
            tiles.append(tile)
        made = function(*tiles)
        out = nl.ndarray(made.shape, dtype=made.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out, made)
        return out

    return opennki.compile(kernel, *shapes, target=on, grid=grid, frontend="beta2").klr


def operators(made: klr.LncKernel) -> list[str]:
    """The operators of the first core, without the DMA that feeds them."""
    kinds = [stmt.op.kind for block in made.bodies[0] for stmt in block.body]
    return [kind for kind in kinds if kind != "ncDmaCopy"]


def tile(shape: tuple[int, ...], dtype: Any = nl.float32) -> Any:
    """A tile in SBUF, in a kernel."""
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
