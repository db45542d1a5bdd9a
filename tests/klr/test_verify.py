"""Rules of whole kernels: a sound one passes, and each violation is told in its own words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opennki.base.diag import NkiError
from opennki.base.loc import SrcLoc
from opennki.klr import (
    Abstract,
    AccessBasic,
    AccessPattern,
    AccOffset,
    AluOp,
    APPair,
    Basic,
    BirAccessPattern,
    BirPattern,
    Block,
    BrCmpOp,
    CmpBranch,
    CollectiveOp,
    Coord,
    DmaCompute,
    Dtype,
    Edges,
    Engine,
    FloatImm,
    IntImm,
    Kernel,
    LncKernel,
    Memory,
    MemSet,
    NcCopy,
    Node,
    Operator,
    Pattern,
    Pos,
    RegisterAluOp,
    RegisterMove,
    RegOffset,
    Sbuf,
    SendRecvCompute,
    Shape,
    Simple,
    Slice,
    SliceIndex,
    Stmt,
    TensorName,
    TensorRef,
    TensorSram,
    TensorStore,
    lower_accesses,
    verify,
)
from opennki.klr.tensors import Access, Address
from opennki.klr.verify import MAX_KNOWN


def tensor(name: str = "t", memory: Memory = Memory.sbuf, *dims: int) -> TensorName:
    sizes = dims or (4, 8)
    shape = Shape(sizes[0], list(sizes[1:]))
    free = shape.free_elements
    address = Address(f"{name}.place", memory, sizes[0], free * 4)
    return TensorName(name, Dtype.float32, shape, address, free)


def stmt(kind: str, args: Node, name: str | None = None) -> Stmt:
    return Stmt(Operator(kind, args), name, Pos(3, 4, filename="k.py"))


def jump(label: str) -> Stmt:
    return stmt("cmpBranch", CmpBranch("", "", 0, BrCmpOp.always, label, ""))


def branch(true: str, false: str, register: str = "i", op: BrCmpOp = BrCmpOp.lt_imm) -> Stmt:
    return stmt("cmpBranch", CmpBranch(register, "j", 4, op, true, false))


def move(register: str = "i", name: str | None = None) -> Stmt:
    return stmt("registerMove", RegisterMove(register, 0), name)


def memset(access: Access | TensorRef) -> Stmt:
    dst = Abstract(access) if isinstance(access, Access) else access
    return stmt("memSet", MemSet(dst, FloatImm(0.0), Dtype.float32, Engine.dve))


def told(*blocks: Block, **more: object) -> list[str]:
    """Messages of a kernel with these blocks, each with its code."""
    kernel = LncKernel("k", [], [], [list(blocks)], **more)  # type: ignore[arg-type]
    return [f"{d.code.id}: {d.message}" for d in verify(kernel)]


def body(*stmts: Stmt) -> Block:
    return Block("a", False, list(stmts))


def test_a_sound_kernel_passes(kernel: LncKernel):
    assert verify(kernel) == []
    assert verify(Kernel("k", kernel.inputs, kernel.outputs, kernel.bodies[0])) == []


def test_a_problem_has_the_location_of_its_statement():
    there = SrcLoc("inner.py", 9, 2)
    first, second = branch("x", "a"), branch("y", "a")
    second.loc = there
    blocks = [body(move(), first), Block("b", False, [second])]
    (one, other) = verify(Kernel("k", [], [], blocks))
    assert (one.loc.file, one.loc.line, one.loc.col) == ("k.py", 3, 4)
    assert other.loc is there


# ---- control flow -----------------------------------------------------------------------------


def test_labels_are_unique():
    assert told(body(), body()) == ["NKI4004: block `a` is defined twice"]


def test_labels_of_other_cores_are_others():
    assert verify(LncKernel("k", [], [], [[body()], [body()]])) == []


@pytest.mark.parametrize(
    ("end", "missing"), [(jump("b"), "b"), (branch("b", "a"), "b"), (branch("a", "c"), "c")]
)
def test_branches_lead_to_blocks(end: Stmt, missing: str):
    assert told(body(move(), end)) == [f"NKI4005: block `{missing}` is used but not defined"]


def test_only_the_last_statement_branches():
    text = "NKI4201: block `a` goes on after its branch, statement 1 of 2"
    assert told(body(jump("a"), move())) == [text]


@pytest.mark.parametrize(
    ("stmts", "why"),
    [
        ([move()], "does not end in a jump"),
        ([], "does not end in a jump"),
        ([move(), branch("a", "a")], "has a conditional branch"),
    ],
)
def test_a_no_reorder_block_ends_in_a_jump(stmts: list[Stmt], why: str):
    assert told(Block("a", True, stmts)) == [f"NKI4202: no-reorder block `a` {why}"]
    assert told(Block("a", True, [move(), jump("a")])) == []


def test_psum_tensors_that_begin_are_there():
    block = body(memset(Simple(tensor("acc", Memory.psum))), memset(Simple(tensor("t"))))
    block.begins = ["acc", "t"]
    assert told(block) == ["NKI4005: tensor in PSUM `t` is used but not defined"]


# ---- names ------------------------------------------------------------------------------------


def test_statement_names_are_unique_in_a_body():
    text = "NKI4004: statement `s` is defined twice"
    assert told(body(move("i", "s"), move("j", "s"), move("k"))) == [text]
    each = [body(move("i", "s"))]
    assert verify(LncKernel("k", [], [], [each, each])) == []


def test_inputs_are_unique():
    t = tensor("t", Memory.hbm)
    (found,) = verify(Kernel("k", [t, t], [], []))
    assert found.message == "input `t` is defined twice"


@pytest.mark.parametrize(
    ("edge", "text"),
    [
        (Edges("s", ["u"]), None),
        (Edges("s", ["u"], 0), None),
        (Edges("u", ["v"]), None),
        (Edges("s", ["x"]), "NKI4005: statement `x` is used but not defined"),
        (Edges("x", ["s"]), "NKI4005: statement `x` is used but not defined"),
        (Edges("s", ["v"], 0), "NKI4005: statement `v` is used but not defined"),
        (Edges("s", ["u"], 2), "NKI4005: core `2` is used but not defined"),
        (Edges("s", ["s"]), "NKI4210: the edges say that statement `s` runs after itself"),
    ],
)
def test_edges_name_statements(edge: Edges, text: str | None):
    bodies = [[body(move("i", "s"), move("j", "u"))], [body(move("i", "v"))]]
    found = verify(LncKernel("k", [], [], bodies, edges=[edge]))
    assert [f"{d.code.id}: {d.message}" for d in found] == ([text] if text else [])


# ---- tensors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("parSize", 3, "it has 4 partitions, the location 3"),
        ("freeSize", 31, "it needs 32 bytes per partition, the location has 31"),
    ],
)
def test_tensors_fit_their_locations(field: str, value: int, why: str):
    t = tensor()
    setattr(t.address, field, value)
    text = f"NKI4203: tensor `t` does not fit within memory location `t.place`: {why}"
    assert told(body(memset(Simple(t)))) == [text]
    assert [d.code.id for d in verify(Kernel("k", [t], [], []))] == ["NKI4203"]
    assert told(sharedBuffers=[t]) == [text]


def test_elements_of_a_partition_are_counted_correctly():
    t = tensor()
    t.freeElements = 9
    assert told(body(memset(Simple(t)))) == [
        "NKI4203: tensor `t` does not fit within memory location `t.place`: it says it has 9 "
        "elements per partition, and has 8"
    ]


def test_one_name_is_one_tensor():
    t, other = tensor(), tensor()
    other.dtype = Dtype.int32
    text = "NKI4204: tensor `t` is described in two ways: its dtype is float32, and int32 elsewhere"
    assert told(body(memset(Simple(t)), memset(Simple(tensor())), memset(Simple(other)))) == [text]
    assert [d.code.id for d in verify(Kernel("k", [t], [other], []))] == ["NKI4204"]


def test_one_name_is_one_place():
    other = tensor("u")
    other.address = Address("t.place", Memory.psum, 4, 32)
    text = (
        "NKI4204: address `t.place` is described in two ways: its memory is sbuf, and psum "
        "elsewhere"
    )
    assert told(body(memset(Simple(tensor())), memset(Simple(other)))) == [text]


# ---- registers and lists ----------------------------------------------------------------------


def reader(kind: str) -> Stmt:
    """A statement that reads register `i`, and no other."""
    t = tensor()
    if kind == "registerAluOp":
        return stmt(kind, RegisterAluOp("k", "i", 1, AluOp.add))
    if kind == "tensorStore":
        return stmt(kind, TensorStore(Abstract(Simple(t)), "i"))
    if kind == "cmpBranch":
        return branch("a", "a")
    access = BirAccessPattern(t, 0, [APPair(8, 1, 0), APPair(1, 8, 0)], RegOffset("i"))
    return memset(BirPattern(access))


@pytest.mark.parametrize("kind", ["registerAluOp", "tensorStore", "cmpBranch", "memSet"])
def test_registers_that_are_read_are_set(kind: str):
    assert told(body(move("i"), reader(kind))) == []
    (text,) = told(body(move("j"), reader(kind)))
    assert text == f"NKI4207: register `i` is read by {kind}, and nothing sets it"


def test_the_second_register_counts_where_two_are_compared():
    assert told(body(move("i"), branch("a", "a", op=BrCmpOp.lt_reg))) == [
        "NKI4207: register `j` is read by cmpBranch, and nothing sets it"
    ]


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (Operator("allReduce", CollectiveOp([Sbuf(TensorSram("t", Dtype.int8, 1, []))], [])),
         "allReduce has 0 srcs, and must have 1"),
        (Operator("collectivePermuteImplicitReduce", CollectiveOp(
            [Sbuf(TensorSram("t", Dtype.int8, 1, []))],
            [Sbuf(TensorSram("t", Dtype.int8, 1, []))])),
         "collectivePermuteImplicitReduce has 1 srcs, and must have 2"),
        (Operator("dmaCompute", DmaCompute(Sbuf(TensorSram("t", Dtype.int8, 1, [])), [],
                                           [FloatImm(1.0)], AluOp.add)),
         "dmaCompute has 1 scales, and must have 0"),
        (Operator("sendRecvCompute", SendRecvCompute([], [], [IntImm(0)], [], IntImm(0),
                                                     AluOp.add)),
         "sendRecvCompute has 1 sendToRanks, and must have 0"),
        (Operator("sendRecvCompute", SendRecvCompute([], [], [], [IntImm(0)], IntImm(0),
                                                     AluOp.add)),
         "sendRecvCompute has 1 recvFromRanks, and must have 0"),
    ],
)  # fmt: skip
def test_what_is_paired_is_equally_many(op: Operator, text: str):
    assert told(body(Stmt(op, None, Pos(1)))) == [f"NKI4208: {text}"]


# ---- accesses ---------------------------------------------------------------------------------


def bir(offset: int, *pairs: tuple[int, int], **more: object) -> BirPattern:
    found = [APPair(step, num, 0) for step, num in pairs]
    return BirPattern(BirAccessPattern(tensor(), offset, found, **more))  # type: ignore[arg-type]


def basic(*indexes: Coord | SliceIndex) -> Basic:
    return Basic(AccessBasic(tensor(), list(indexes)))


def part(lower: int, upper: int, step: int = 1) -> SliceIndex:
    return SliceIndex(Slice(lower, upper, step))


def pattern(*pairs: APPair, **more: object) -> Pattern:
    num = pairs[0].num if pairs else 1
    return Pattern(AccessPattern(tensor(), num, list(pairs), **more))  # type: ignore[arg-type]


INDEX = BirPattern(BirAccessPattern(tensor("n"), 0, [APPair(8, 4, 0), APPair(1, 1, 0)]))


@pytest.mark.parametrize(
    "access",
    [
        bir(0, (8, 4), (1, 8)),
        bir(31, (8, 1), (1, 1)),
        bir(7, (8, 4), (-1, 8)),
        bir(0, (8, 4), (0, 100)),
        bir(0, (8, 4), (1, 32), dtypeOverride=Dtype.int8),
        bir(0, (99, 4), (1, 8), vectorOffset=INDEX),
        bir(0, (8, 4), (99, 8), vectorOffset=INDEX, snake=True),
        basic(Coord(3), part(0, 8)),
        basic(part(0, 4, 2), part(7, 0, -1)),
        pattern(APPair(8, 4, 0), APPair(1, 4, 4)),
        pattern(APPair(8, 1, 2), APPair(1, 8, 0), fixedAxis=[0]),
    ],
)
def test_accesses_inside_pass(access: Access):
    assert told(body(memset(access))) == []


@pytest.mark.parametrize(
    ("access", "why"),
    [
        (bir(1, (8, 4), (1, 8)), "goes from element 1 to 32 of 32"),
        (bir(0, (8, 4), (-1, 2)), "goes from element -1 to 24 of 32"),
        (bir(0, (8, 4), (1, 33), dtypeOverride=Dtype.int8), None),
        (bir(0, (8, 4), (1, 17), dtypeOverride=Dtype.uint64), "goes from element 0 to 40 of 16"),
        (bir(0), "has no pairs"),
        (bir(0, (8, 0)), "has a pair of no elements"),
        (bir(0, (8, 4), indirectDim=2), "has the index of a run-time offset in dimension 2"),
        (bir(0, (8, 4), (1, 8), vectorOffset=INDEX, scalarOffset=AccOffset(INDEX)),
         "has both a scalar and a vector offset; one of them can be"),
        (bir(24, (99, 4), (1, 9), vectorOffset=INDEX), "goes from element 24 to 32 of 32"),
        (basic(Coord(0)), "has 1 indices"),
        (basic(Coord(4), part(0, 8)), "has index 4 in dimension 0"),
        (basic(Coord(0), part(0, 9)), "has the slice 0:9:1 in dimension 1"),
        (basic(Coord(0), part(8, 0, -1)), "has the slice 8:0:-1 in dimension 1"),
        (basic(Coord(0), part(4, 4)), "has the empty slice 4:4:1 in dimension 1"),
        (basic(Coord(0), part(0, 4, 0)), "has the slice 0:4:0 with step 0 in dimension 1"),
        (pattern(APPair(8, 4, 1), APPair(1, 8, 0)), "goes from element 8 to 39 of 32"),
        (pattern(APPair(8, 4, 0), APPair(1, 8, 0), fixedAxis=[1]),
         "fixes axis 1, which has no pair of one element"),
        (pattern(), "has no pairs"),
    ],
)  # fmt: skip
def test_accesses_stay_in_their_tensor(access: Access, why: str | None):
    expected = [f"NKI4206: the access to `t` of shape (4, 8) {why}"] if why else []
    assert told(body(memset(access))) == expected


def test_partitions_of_a_pattern_are_those_of_its_first_pair():
    access = pattern(APPair(8, 4, 0), APPair(1, 8, 0))
    access.access.parNum = 3
    assert told(body(memset(access))) == [
        "NKI4206: the access to `t` of shape (4, 8) says 3 partitions, and its first pair 4"
    ]


def test_accesses_of_offsets_are_looked_at():
    wrong = bir(0, (8, 4), (1, 9))
    (text,) = told(body(memset(bir(0, (8, 4), (1, 1), scalarOffset=AccOffset(wrong)))))
    assert text == "NKI4206: the access to `t` of shape (4, 8) goes from element 0 to 32 of 32"


@pytest.mark.parametrize("start", [0, 32, 64, 96])
def test_patterns_may_start_at_a_quadrant(start: int):
    access = pattern(APPair(8, 4, 0), APPair(1, 8, 0), parOffset=start)
    assert told(body(memset(access))) == []


def test_patterns_on_chip_start_at_a_quadrant():
    text = (
        "NKI4205: the access to `t` starts at partition 16; on chip it may start at 0, 32, 64 or 96"
    )
    access = pattern(APPair(8, 4, 0), APPair(1, 8, 0), parOffset=16)
    assert told(body(memset(access))) == [text]
    view = TensorSram("t", Dtype.float32, 4, [APPair(1, 8, 0)], 16)
    assert told(body(memset(Sbuf(view)))) == [text]
    access.access.tensor.address.memory = Memory.hbm
    assert told(body(memset(access))) == []


def test_copies_are_looked_at_on_both_sides():
    copy = NcCopy(Abstract(bir(0, (8, 5))), Abstract(bir(0, (8, 6))), None, Engine.dve)
    assert len(told(body(stmt("ncCopy", copy)))) == 2


# ---- kernels of others ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_whatever_a_file_holds_is_judged(
    seed: int, draw: Callable[[type[Node], int, bool], LncKernel | Kernel]
):
    kernel = draw(LncKernel if seed % 2 else Kernel, seed, seed % 3 == 0)
    assert all(str(found.message) for found in verify(kernel))
    try:
        lower_accesses(kernel, unsafe_fp8fncast=True)
    except NkiError as error:
        assert error.code in ("NKI4205", "NKI4209")  # noqa: PT017  # most are lowered


def test_absurd_sizes_are_judged_quickly():
    t = tensor()
    t.shape.freeDims = [(1 << 64) - 1] * 31
    (text,) = told(body(memset(Simple(t))))
    assert text.endswith("it needs about 2**1986 bytes per partition, the location has 32")
    access = BirAccessPattern(t, 0, [APPair(1 << 62, (1 << 64) - 1, 0)] * 40)
    assert [d.partition(":")[0] for d in told(body(memset(BirPattern(access))))] == ["NKI4203"]
    t.shape.freeDims = [(1 << 64) - 1] * 100_000
    (text,) = told(body(memset(BirPattern(access))))
    assert text.endswith("it has 100001 dimensions; at most 32 are possible")


def test_absurd_names_are_judged_quickly():
    (text,) = told(body(jump("x" * 1_000_000)))
    assert text == f"NKI4005: block `{'x' * 100}...` is used but not defined"


def test_shapes_and_places_of_one_name_are_compared():
    other, moved = tensor("t", Memory.sbuf, 4, 4, 2), tensor()
    moved.address = Address("elsewhere", Memory.sbuf, 4, 32)
    assert told(body(memset(Simple(tensor())), memset(Simple(other)))) == [
        "NKI4204: tensor `t` is described in two ways: its shape is (4, 8), and (4, 4, 2) elsewhere"
    ]
    assert told(body(memset(Simple(tensor())), memset(Simple(moved)))) == [
        "NKI4204: tensor `t` is described in two ways: its address is `t.place`, and `elsewhere` "
        "elsewhere"
    ]


def test_what_is_private_may_be_something_else_on_every_core():
    def blocks(size: int, memory: Memory = Memory.sbuf) -> list[Block]:
        return [body(memset(Simple(tensor("t", memory, 4, size))))]

    assert verify(LncKernel("k", [], [], [blocks(8), blocks(16)])) == []
    shared = [blocks(size, Memory.shared_hbm) for size in (8, 16)]
    (found,) = verify(LncKernel("k", [], [], shared))
    assert found.code.id == "NKI4204"
    argument = tensor("t", Memory.private_hbm, 4, 8)
    (found,) = verify(LncKernel("k", [argument], [], [blocks(8), blocks(16)][1:]))
    assert found.code.id == "NKI4204"


def test_among_very_many_names_no_similar_one_is_looked_for():
    def hints(count: int) -> list[str]:
        blocks = [Block(f"b{i}", False, [jump("b0x")]) for i in range(count)]
        return [d.hint or "" for d in verify(LncKernel("k", [], [], [blocks]))]

    assert "did you mean `b0`" in hints(MAX_KNOWN)[0]
    assert "did you mean" not in hints(MAX_KNOWN + 1)[0]
