"""The declarative layer: tags, constructor indices, fields, and what is an extension."""

from __future__ import annotations

from collections import Counter

import pytest

import opennki.klr as klr
from opennki.base.loc import SrcLoc
from opennki.klr import (
    ActivationFunc,
    AluOp,
    APPair,
    BirAccessPattern,
    Block,
    Dtype,
    Edges,
    Immediate,
    IntImm,
    KlrEnum,
    Memory,
    NcDmaCopy,
    Node,
    OptionOf,
    Pos,
    RegisterMove,
    Scalar,
    Stmt,
    TensorName,
    enum_schema,
    uses_extensions,
    walk,
)
from opennki.klr.operators import OPERATORS, PUBLISHED, Operator, engine_of, fixed_engine

NODES = [c for c in vars(klr).values() if isinstance(c, type) and issubclass(c, Node)]
ENUMS = [c for c in vars(klr).values() if isinstance(c, type) and issubclass(c, KlrEnum)]
TYPES = [
    c for c in NODES if c is not Node and (c.schema.base is None) and hasattr(c, "schema")
]  # fmt: skip


def test_types_have_tags_of_their_own():
    """But for the header of files, whose tag is a mark of CBOR."""
    tags = Counter(
        [c.schema.tag for c in TYPES if c is not klr.KLRFile]
        + [enum_schema(c).tag for c in ENUMS if c is not KlrEnum]
    )
    assert [tag for tag, count in tags.items() if count > 1] == []


@pytest.mark.parametrize(
    ("cls", "tag"),
    [(klr.Pos, 100), (klr.LncKernel, 108), (klr.TensorRef, 128), (klr.CollectiveOp, 199),
     (klr.Activate2, 217), (klr.Operator, 218), (klr.Contents, 0xEC), (klr.Dropout, 147)],
)  # fmt: skip
def test_tags_are_the_published_ones(cls: type[Node], tag: int):
    assert cls.schema.tag == tag


def test_every_constructor_has_fewer_than_24_arguments():
    for cls in TYPES:
        for schema in cls.schema.constructors or [cls.schema]:
            assert len(schema.fields) + schema.proofs < 24, schema.name


def test_extension_fields_follow_the_published_ones_and_have_defaults():
    for cls in TYPES:
        for schema in cls.schema.constructors or [cls.schema]:
            extra = [f.extension for f in schema.fields]
            assert extra == sorted(extra)
            assert all(f.default is not None for f in schema.fields if f.extension)


@pytest.mark.parametrize("cls", [c for c in ENUMS if c is not KlrEnum])
def test_members_count_from_0_with_extensions_last(cls: type[KlrEnum]):
    members = list(cls)
    assert [m.value for m in members] == list(range(len(members)))
    assert [m.published for m in members] == sorted((m.published for m in members), reverse=True)


@pytest.mark.parametrize(
    ("member", "value"),
    [(AluOp.subtract, 28), (AluOp.mod, 23), (ActivationFunc.gelu_apprx_sigmoid_dx, 24),
     (Dtype.float4_e2m1fn_x4, 19), (klr.TransposeOps.XYWZ, 13), (klr.BrCmpOp.gt_reg, 12),
     (Memory.private_hbm, 5), (klr.MatmulPerfMode.DoubleRowSwInterleave, 2)],
)  # fmt: skip
def test_last_published_members_have_their_published_place(member: KlrEnum, value: int):
    assert member.value == value
    assert member.published


def test_names_that_python_reserves_are_spelled_as_published():
    assert str(klr.TransposeOps.None_) == "None"
    assert enum_schema(klr.MatmulPerfMode).by_name["None"] is klr.MatmulPerfMode.None_


def test_operators_have_their_published_places():
    names = list(OPERATORS)
    assert PUBLISHED == 76
    places = ("activate", 1), ("ncCopy", 9), ("ncMatMul", 22), ("reciprocal", 29), ("rankId", 60)
    for name, kind in (*places, ("tensorStore", 45), ("activate2", 76), ("coreBarrier", 64)):
        assert names.index(name) + 1 == kind
    assert [s.extension for s in Operator.schema.constructors].count(False) == PUBLISHED


def test_an_operator_takes_its_own_structure_only():
    with pytest.raises(AssertionError):
        Operator("ncCopy", RegisterMove("i", 0))


def test_the_engine_is_fixed_or_named_by_the_operator(kernel: klr.LncKernel):
    body = kernel.bodies[0][1].body
    found = [engine_of(s.op).klr for s in body]
    assert found == ["dve", "act", "dve", "unassigned"]


def test_every_engine_that_operators_name_is_a_field():
    for name, struct in OPERATORS.items():
        fields = {f.name for f in struct.schema.fields if not f.extension}
        fixed = fixed_engine(name) is not None
        assert fixed != ("engine" in fields), name


def test_kinds_come_from_annotations():
    kinds = {f.name: f.kind for f in BirAccessPattern.schema.fields}
    assert kinds["offset"] is Scalar.NAT
    assert kinds["pattern"] == klr.ListOf(APPair)
    assert kinds["vectorOffset"] == OptionOf(klr.Access)
    assert kinds["indirectDim"] is Scalar.INT


def test_locations_are_neither_compared_nor_in_files():
    here = Stmt(Operator("registerMove", RegisterMove("i", 0)), None, Pos(1), SrcLoc("k.py", 1))
    there = Stmt(Operator("registerMove", RegisterMove("i", 0)), None, Pos(1))
    assert here == there
    assert [f.name for f in Stmt.schema.fields] == ["op", "name", "pos"]


def test_constructors_compare_by_kind_and_fields():
    assert IntImm(1) == IntImm(1) != klr.RegisterImm(1)
    assert isinstance(IntImm(1), Immediate)


def test_lists_of_defaults_are_not_shared():
    assert Block("a", False, []).begins is not Block("b", False, []).begins


def test_walk_gives_parents_first_in_the_order_of_fields(kernel: klr.LncKernel):
    found = list(walk(kernel))
    assert found[0] is kernel
    assert found[1] is kernel.inputs[0]
    names = [at.name for at in found if isinstance(at, TensorName)]
    assert names == ["x", "out", "tile", "x", "tile", "tile", "out", "tile"]
    parts = list(walk(kernel, TensorName))
    assert names == [at.name for at in parts if isinstance(at, TensorName)]
    assert not any(isinstance(at, klr.Address) for at in parts)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(Edges("a", ["b"]), False), (Edges("a", ["b"], 0), True), (Block("a", True, []), False),
     (Block("a", True, [], ["t"]), True),
     (klr.RegisterAluOp("a", "b", 0, AluOp.add), False),
     (klr.RegisterAluOp("a", "b", 0, AluOp.fmod), True),
     (Operator("topk", klr.TopK(*[klr.RegisterRef(0)] * 3, 4)), True)],
)  # fmt: skip
def test_extensions_are_recognised(value: Node, expected: bool):
    assert uses_extensions(value) is expected


def test_dtypes_know_their_size():
    sizes = Counter(d.size for d in Dtype)
    assert sizes == {1: 9, 2: 5, 4: 6, 8: 2}
    assert (Dtype.bool.size, Dtype.bfloat16.size, Dtype.float32r.size, Dtype.uint64.size) == (
        1, 2, 4, 8,
    )  # fmt: skip


def test_files_of_before_the_last_fields_mean_something():
    assert NcDmaCopy.schema.later == {"priority": None}
    older = klr.TensorScalarReduce.schema.later
    assert older == {"reduceCmd": klr.AccumCmd.ZeroAccumulate, "reduceInit": None}
