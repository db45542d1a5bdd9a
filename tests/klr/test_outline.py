"""Statements on one line, and what a file holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opennki import klr
from opennki.klr.enums import Dtype, Engine, Memory


def tensor(name: str, *dims: int, dtype: Dtype = Dtype.float32) -> klr.TensorName:
    """A tensor in SBUF."""
    shape = klr.Shape(dims[0], list(dims[1:]))
    address = klr.Address(name, Memory.sbuf, dims[0], 4 * shape.free_elements)
    return klr.TensorName(name, dtype, shape, address, shape.free_elements)


def access(of: klr.TensorName, *pairs: tuple[int, int], offset: int = 0, **more) -> klr.Abstract:
    """An access by a pattern."""
    pattern = [klr.APPair(step, num, 0) for step, num in pairs]
    return klr.Abstract(klr.BirPattern(klr.BirAccessPattern(of, offset, pattern, **more)))


TILE = tensor("tile", 128, 8)
INDEX = tensor("index", 128, 1, dtype=Dtype.int32)
WHOLE = ((8, 128), (1, 8))


def copied(src: klr.TensorRef, name: str | None = None) -> str:
    """The line of a copy from `src` to a whole tile, without its beginning."""
    args = klr.NcCopy(access(TILE, *WHOLE), src, Dtype.float32, Engine.dve)
    line = klr.outline(klr.Stmt(klr.Operator("ncCopy", args), name, klr.Pos(0)))
    head = f"{name} = " if name else ""
    begin, end = f"{head}ncCopy dst=tile src=", " dtype=float32 engine=dve"
    assert line.startswith(begin)
    assert line.endswith(end)
    return line[len(begin) : -len(end)]


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (access(TILE, *WHOLE), "tile"),
        (klr.Abstract(klr.Simple(TILE)), "tile"),
        (access(TILE, (8, 64), (1, 8), offset=8), "tile[8; 8*64, 1*8]"),
        (access(TILE, *WHOLE, offset=1), "tile[1; 8*128, 1*8]"),
        (access(TILE, *WHOLE, dtypeOverride=Dtype.int32), "tile:int32"),
        (access(TILE, *WHOLE, dtypeOverride=Dtype.float32), "tile"),
        (
            access(TILE, *WHOLE, scalarOffset=klr.RegOffset("i")),
            "tile[0; 8*128, 1*8; i along 0]",
        ),
        (
            access(TILE, *WHOLE, scalarOffset=klr.AccOffset(klr.Simple(INDEX)), indirectDim=1),
            "tile[0; 8*128, 1*8; index along 1]",
        ),
        (
            access(TILE, *WHOLE, vectorOffset=klr.Simple(INDEX), indexStride=2, indexLimit=64),
            "tile[0; 8*128, 1*8; each index*2 < 64 along 0]",
        ),
        (
            access(TILE, *WHOLE, vectorOffset=klr.Simple(INDEX), snake=True),
            "tile[0; 8*128, 1*8; snake index along 0]",
        ),
    ],
)
def test_an_access_reads_as_in_bir(ref: klr.TensorRef, said: str):
    assert copied(ref) == said


def test_a_name_comes_first():
    assert copied(access(TILE, *WHOLE), "first") == "tile"


def test_other_forms_of_access_are_spelled_out():
    slices = [klr.Coord(3), klr.SliceIndex(klr.Slice(0, 8, 2))]
    basic = klr.Abstract(klr.Basic(klr.AccessBasic(TILE, slices)))
    assert copied(basic) == (
        "basic(access=(tensor=tile, indexes=[coord(e=3), slice(slice=(l=0, u=8, step=2))]))"
    )


@pytest.mark.parametrize(
    ("number", "said"),
    [(klr.FloatImm(0.5), "0.5"), (klr.IntImm(-3), "-3"), (klr.NatImm(2**31), str(2**31))],
)
def test_numbers_are_plain(number: klr.Immediate, said: str):
    args = klr.TensorScalar(
        access(TILE, *WHOLE), access(TILE, *WHOLE), klr.Imm(number), klr.AluOp.add, None, None,
        klr.TensorScalarReverseOps.none, Engine.dve, None,
    )  # fmt: skip
    line = klr.outline(klr.Stmt(klr.Operator("tensorScalar", args), None, klr.Pos(0)))
    assert line == f"tensorScalar dst=tile src=tile imm0={said} op0=add reverse=none engine=dve"


# ---- summaries -------------------------------------------------------------------------------


def statement(kind: str, args: klr.Node) -> klr.Stmt:
    """A statement without a name."""
    return klr.Stmt(klr.Operator(kind, args), None, klr.Pos(0))


def kernel(*statements: klr.Stmt) -> klr.LncKernel:
    """A kernel of two cores, the second of which does nothing."""
    body = [klr.Block("Block1", False, list(statements))]
    return klr.LncKernel("k", [TILE], [INDEX], [body, [klr.Block("Block1", False, [])]])


MOVE = statement("registerMove", klr.RegisterMove("r", 1))


def test_a_summary_counts():
    named = replace(MOVE, name="first")
    found = klr.summary(klr.LncContents(kernel(MOVE, named, MOVE)))
    assert (found.kind, found.name, found.cores, found.blocks) == ("lnc", "k", 2, 2)
    assert found.operators == (("registerMove", 3),)
    assert found.named == 1
    assert found.extensions == ()
    assert found.inputs == (TILE,)


def test_a_kernel_of_one_core():
    found = klr.summary(klr.KernelContents(klr.Kernel("k", [], [], [])))
    assert (found.kind, found.cores, found.blocks, found.edges) == ("kernel", 1, 0, 0)


def test_extensions_are_named_by_what_they_extend():
    made = kernel(
        statement(
            "ncCopy",
            klr.NcCopy(
                access(TILE, *WHOLE), access(TILE, *WHOLE, indexStride=2), Dtype.float32, Engine.dve
            ),
        ),
        statement(
            "tensorScalar",
            klr.TensorScalar(
                access(TILE, *WHOLE), access(TILE, *WHOLE), klr.Imm(klr.NatImm(2**31)),
                klr.AluOp.add, None, None, klr.TensorScalarReverseOps.none, Engine.dve, None,
            ),
        ),
    )  # fmt: skip
    made.edges.append(klr.Edges("a", ["b"], 1))
    extra = next(member for member in klr.AluOp if not member.published)
    made.bodies[0][0].body[1].op.args.op0 = extra
    assert set(klr.used_extensions(made)) == {
        "field BirAccessPattern.indexStride", "constructor of Immediate: nat", "field Edges.core",
        f"member AluOp.{extra.klr}",
    }  # fmt: skip
    assert dict(klr.summary(klr.LncContents(made)).extensions)["field Edges.core"] == 1


def test_every_use_that_makes_a_file_extended_is_named():
    """`used_extensions` says something exactly where `uses_extensions` does."""
    plain = kernel(MOVE)
    assert (list(klr.used_extensions(plain)), klr.uses_extensions(plain)) == ([], False)
    operator = next(k for i, k in enumerate(klr.OPERATORS) if i >= klr.PUBLISHED)
    struct = klr.OPERATORS[operator]
    fields = [None for _ in struct.schema.fields]
    stmt = statement(operator, struct(*fields))
    assert f"operator {operator}" in list(klr.used_extensions(stmt))
    assert klr.uses_extensions(stmt)
