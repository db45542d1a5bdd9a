"""Building functions from outside of a trace."""

from __future__ import annotations

import pytest

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.diag import NkiError
from opennki.base.loc import SrcLoc
from opennki.ir import Role, Space, Tensor, View
from opennki.isa.dma import DMACopyOp
from opennki.isa.fill import MemsetOp
from opennki.isa.move import TensorCopyOp
from opennki.penguin import Function, IRBuilder, Loop, LoopKind, Region, print_function, verify
from opennki.target import target


def tensor(name, space=Space.sbuf, role=Role.internal) -> Tensor:
    return Tensor(name, (128, 64), dtypes.float32, space, role=role)


@pytest.fixture
def builder() -> IRBuilder:
    return IRBuilder(Function("f", target("trn2")), SrcLoc("graph.hlo", 3))


def test_a_function_with_blocks(builder):
    x = builder.tensor(tensor("x", Space.private_hbm, Role.input))
    tile = builder.tensor(tensor("tile"))
    y = builder.tensor(tensor("y", Space.private_hbm, Role.output))
    builder.insert_inst(DMACopyOp(dst=tile, src=x))
    with builder.loop(LoopKind.affine, LoopVar("i", 0, 2)) as i:
        half = View(tile.tensor, AffineExpr.of(i, 32), (128, 32), (64, 1), tile.dtype)
        with builder.no_reorder():
            builder.insert(MemsetOp(dst=half, value=0))
    builder.insert(DMACopyOp(dst=y, src=tile))
    assert verify(builder.function) == []
    assert print_function(builder.function).splitlines()[4:-1] == [
        "  dma_copy.sync dst=%tile, src=%x  // graph.hlo:3",
        "  for i in affine(0, 2) {  // graph.hlo:3",
        "    no_reorder {  // graph.hlo:3",
        "      memset.vector dst=%tile[32*i; 64*128, 1*32], value=0  // graph.hlo:3",
        "    }",
        "  }",
        "  dma_copy.sync dst=%y, src=%tile  // graph.hlo:3",
    ]
    assert (builder.function.args, builder.function.results) == (["x"], ["y"])
    assert tile.tensor.written
    assert y.tensor.written
    assert not x.tensor.written


def test_inserting_a_loop_prepares_what_is_in_it(builder):
    tile = builder.tensor(tensor("tile"))
    block = builder.create_bb()
    block.append(MemsetOp(dst=tile, value=0))
    loop = builder.insert(Loop(LoopKind.sequential, LoopVar("i", 0, 3), [Region(block)]))
    assert builder.function.body == [loop]
    assert loop.body[0].body[0].engine.nki == "vector"
    assert builder.block is builder.function.body


def test_names_are_taken_once(builder):
    builder.tensor(tensor("t"))
    with pytest.raises(NkiError) as refused:
        builder.tensor(tensor("t"))
    assert refused.value.code == "NKI4004"


def test_operands_must_be_registered(builder):
    tile = builder.tensor(tensor("t"))
    with pytest.raises(NkiError) as refused:
        builder.insert_inst(TensorCopyOp(dst=tile, src=View.whole(tensor("u"))))
    assert refused.value.code == "NKI4005"
    assert builder.function.body == []


def test_the_block_is_left_after_an_error(builder):
    with pytest.raises(NkiError), builder.no_reorder():
        builder.insert_inst(MemsetOp(dst=View.whole(tensor("t")), value=0))
    assert builder.block is builder.function.body
