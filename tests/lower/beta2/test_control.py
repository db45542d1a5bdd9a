"""Blocks and branches as loops, loops as blocks, and control flow that is neither."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.birpy import (
    BasicBlock,
    DynamicLoop,
    Function,
    Instruction,
    Module,
    While,
    difference,
    verify,
)
from opennki.birpy.printer import print_instruction
from opennki.lower.beta2 import KlirToBirCodegen, branched, structured
from opennki.lower.beta2.control import MAX_DEPTH
from opennki.target import target

from .statements import tensor

X = tensor("x", (1, 1), "int32")
OP = klr.BrCmpOp


def stmt(kind: str, args: klr.Node, name: str | None = None) -> klr.Stmt:
    return klr.Stmt(klr.Operator(kind, args), name, klr.Pos(0))


def put(register: str, number: int) -> klr.Stmt:
    return stmt("registerMove", klr.RegisterMove(register, number))


def add(dst: str, src: str, number: int = 0, op: klr.AluOp = klr.AluOp.add) -> klr.Stmt:
    return stmt("registerAluOp", klr.RegisterAluOp(dst, src, number, op))


def load(register: str, name: str | None = None) -> klr.Stmt:
    return stmt("tensorLoad", klr.TensorLoad(register, X), name)


def branch(op: klr.BrCmpOp, left: str, right: str | int, true: str, false: str) -> klr.Stmt:
    reg, number = (right, 0) if isinstance(right, str) else ("", right)
    return stmt("cmpBranch", klr.CmpBranch(left, reg, number, op, true, false))


def go(label: str) -> klr.Stmt:
    return stmt("cmpBranch", klr.CmpBranch("", "", 0, OP.always, label, ""))


Blocks = dict[str, list[klr.Stmt]]


def kernel(blocks: Blocks, ordered: str = "") -> klr.LncKernel:
    body = [klr.Block(label, label == ordered, list(inside)) for label, inside in blocks.items()]
    return klr.LncKernel("kernel", [], [], [body], [], [], [])


def lowered(blocks: Blocks, ordered: str = "", *, structure: bool = True) -> Function:
    codegen = KlirToBirCodegen(target("trn2"), structure=structure)
    (function,) = codegen.run_on_kernel(kernel(blocks, ordered)).functions
    return function


def shape(items: list[object]) -> list[object]:
    """Loops as lists that begin with what they are, instructions as their opcodes."""
    made: list[object] = []
    for item in items:
        if isinstance(item, DynamicLoop):
            ends = [end if isinstance(end, int) else end.name for end in (item.start, item.stop)]
            head = f"{item.register.name}: {ends[0]} to {ends[1]} by {item.step}"
            made.append([head, *shape(item.blocks[0].instructions)])
        elif isinstance(item, While):
            made.append([f"while {item.condition.name}", *shape(item.blocks[0].instructions)])
        else:
            assert isinstance(item, Instruction)
            made.append(item.opcode)
    return made


def counted(start: klr.Stmt, test: klr.Stmt, *body: klr.Stmt, step: int = 1) -> Blocks:
    """One loop with an index `i`, whose counter is `c`."""
    return {
        "B1": [start, go("B2")],
        "B2": [test],
        "B3": [add("i", "c"), *body, add("c", "c", step), go("B2")],
        "B4": [load("last")],
    }


TO_FIVE = branch(OP.ge_imm, "c", 5, "B4", "B3")
WHILE = {
    "B1": [load("r"), go("B2")],
    "B2": [branch(OP.eq_imm, "r", 0, "B4", "B3")],
    "B3": [load("r"), go("B2")],
    "B4": [],
}


def by_register() -> Blocks:
    blocks = counted(add("c", "first"), branch(OP.ge_reg, "c", "l", "B4", "B3"), step=3)
    blocks["B1"][1:1] = [add("l", "n")]
    return blocks


def nested() -> Blocks:
    """A loop in a loop whose index is a bound, and a while in that."""
    return {
        "B1": [put("c", 0), go("B2")],
        "B2": [branch(OP.ge_imm, "c", 4, "B9", "B3")],
        "B3": [add("i", "c"), put("d", 1), add("l", "i"), go("B4")],
        "B4": [branch(OP.ge_reg, "d", "l", "B8", "B5")],
        "B5": [add("j", "d"), load("r"), go("B6")],
        "B6": [branch(OP.eq_imm, "r", 0, "B7", "B10")],
        "B7": [add("d", "d", 2), go("B4")],
        "B8": [load("after"), add("c", "c", 1), go("B2")],
        "B9": [load("last")],
        "B10": [load("r"), go("B6")],
    }


SHAPES: dict[str, tuple[Blocks, list[object]]] = {
    "none": ({"B1": [load("r")]}, ["TensorLoad"]),
    "empty": ({"B1": []}, []),
    "a jump": ({"B1": [load("r"), go("B2")], "B2": [load("r")]}, ["TensorLoad"] * 2),
    "numbers": (
        counted(put("c", -2), TO_FIVE, load("r"), step=2),
        [["i: -2 to 5 by 2", "TensorLoad"], "TensorLoad"],
    ),
    "registers": (by_register(), [["i: first to n by 3"], "TensorLoad"]),
    "while": (WHILE, ["TensorLoad", ["while r", "TensorLoad"]]),
    "nested": (
        nested(),
        [
            [
                "i: 0 to 4 by 1",
                ["j: 1 to i by 2", "TensorLoad", ["while r", "TensorLoad"]],
                "TensorLoad",
            ],
            "TensorLoad",
        ],
    ),
}


@pytest.mark.parametrize(("blocks", "want"), SHAPES.values(), ids=SHAPES)
def test_blocks_become_loops_and_loops_become_blocks(blocks, want):
    function = lowered(blocks)
    (block,) = function.blocks
    assert shape(block.instructions) == want
    assert [d.message for d in verify(Module([function], "gen3"))] == []
    assert function.memlocs.keys().isdisjoint("cdl")
    again = branched(function)
    again.blocks = [BasicBlock("Block1", structured(again))]
    assert difference(Module([function], "gen3"), Module([again], "gen3")) is None
    flat = lowered(blocks, structure=False)
    assert len(flat.blocks) == len(branched(function).blocks)
    assert [d.message for d in verify(Module([flat], "gen3"))] == []


def test_loops_as_blocks_are_those_of_the_kernel():
    flat = branched(lowered(counted(put("c", 0), TO_FIVE, load("r"))))
    assert [len(b.instructions) for b in flat.blocks] == [2, 1, 4, 1]
    texts = [[print_instruction(i).replace('"', "").partition(" = ")[2] for i in b.instructions]
             for b in flat.blocks]  # fmt: skip
    assert texts == [
        ["RegisterMove ALL outs(%.counter.0) ins(0:int32)",
         'UnconditionalBranch ALL outs() ins() {target=Block2}'],
        ["CompareAndBranch ALL outs() ins(%.counter.0, 5:int32) "
         '{comp_op=IS_GEIMM, on_false=Block3, on_true=Block4}'],
        ["RegisterMove ALL outs(%i) ins(%.counter.0)", "TensorLoad ALL outs(%r) ins(%x)",
         "RegisterAlu ALL outs(%.counter.0) ins(%.counter.0, 1:int32) {op=add}",
         'UnconditionalBranch ALL outs() ins() {target=Block2}'],
        ["TensorLoad ALL outs(%last) ins(%x)"],
    ]  # fmt: skip


def test_what_begins_anew_in_a_body_is_kept():
    p = tensor("p", (4, 4), memory="psum")
    copy = stmt("ncCopy", klr.NcCopy(p, p, None, klr.Engine.dve))
    made = kernel(counted(put("c", 0), TO_FIVE, copy))
    made.bodies[0][2].begins = ["p"]
    (function,) = KlirToBirCodegen(target("trn2")).run_on_kernel(made).functions
    loop = function.blocks[0].instructions[0]
    assert isinstance(loop, DynamicLoop)
    assert [m.name for m in loop.new] == ["p"]
    again = branched(function)
    (test,) = again.blocks[1].instructions
    assert test.attrs["opennki_begins"] == ("p",)
    again.blocks = [BasicBlock("Block1", structured(again))]
    assert difference(Module([function], "gen3"), Module([again], "gen3")) is None


def test_a_body_that_keeps_its_order_forgets_what_counted():
    """Edges to instructions of the counter go with them; those of the author stay."""
    blocks = counted(put("c", 0), TO_FIVE, load("r", "one"), load("s", "two"))
    first, second = list(lowered(blocks, "B3").instructions())[:2]
    assert first.dependencies == ()
    assert [name for name, _ in second.dependencies] == ["one"]


def test_regions_are_joined_to_what_comes_before():
    blocks = {
        "B1": [load("r"), go("B2")],
        "B2": [load("s", "one"), load("t", "two"), go("B3")],
        "B3": [load("u")],
    }
    flat = lowered(blocks, "B2", structure=False)
    assert [b.name for b in flat.blocks] == ["B1"]
    assert [i.opcode for i in flat.instructions()] == ["TensorLoad"] * 4
    assert [len(i.dependencies) for i in flat.instructions()] == [0, 0, 1, 0]


def test_the_first_block_is_joined_to_none():
    flat = lowered({"B1": [load("r"), go("B2")], "B2": [load("s"), go("B1")]}, structure=False)
    assert [b.name for b in flat.blocks] == ["B1"]
    assert [i.opcode for i in flat.instructions()][-1] == "UnconditionalBranch"


def test_blocks_that_are_no_loops_stay_blocks_unless_a_product_depends_on_it():
    """Whether a product adds is decided by loops."""
    a, p = tensor("a", (4, 4)), tensor("p", (4, 4), memory="psum")
    none = klr.MatmulPerfMode.None_
    args = klr.NcMatMul(p, a, a, False, False, False, [], [], none, klr.Accumulation.perElement)
    endless = {"B1": [stmt("ncMatMul", args), go("B2")], "B2": [load("r"), go("B2")]}
    assert len(lowered(endless, structure=False).blocks) == 2
    args.accumulate = klr.Accumulation.derived
    with pytest.raises(NkiError, match="it is come to from several places"):
        lowered(endless, structure=False)


# ---- what is refused -----------------------------------------------------------------------------


def changed(blocks: Blocks, **more: list[klr.Stmt]) -> Blocks:
    return blocks | more


LOOP = counted(put("c", 0), TO_FIVE, load("r"))
BODY = LOOP["B3"]
REFUSED: dict[str, tuple[Blocks, str, str]] = {
    "no such block": ({"B1": [go("B7")]}, "B7", "there is no such block"),
    "no name": ({"B1": [go("")]}, "", "there is no such block"),
    "not reached": ({"B1": [], "B2": [load("r")]}, "B2", "nothing leads to it"),
    "a loop without end": ({"B1": [go("B1")]}, "B1", "it is come to from several places"),
    "two ways": (
        changed(LOOP, B4=[go("B3")]), "B3", "it is come to from several places",
    ),
    "an if": (
        {"B1": [load("r"), go("B2")], "B2": [branch(OP.eq_imm, "r", 0, "B4", "B3")],
         "B3": [go("B4")], "B4": []},
        "B4", "the kernel ends in a loop",
    ),
    "an end in a body": (changed(LOOP, B3=BODY[:-1]), "B3", "the kernel ends in a loop"),
    "a head that computes": (
        changed(LOOP, B2=[load("r"), TO_FIVE]), "B2", "it computes before it tests",
    ),
    "a branch in the middle": (
        changed(LOOP, B3=[*BODY[:1], go("B4"), *BODY[1:]]), "B3", "it branches before its end",
    ),
    "another test": (
        changed(LOOP, B2=[branch(OP.gt_imm, "c", 5, "B4", "B3")]), "B2",
        "it tests neither a counter nor a condition",
    ),
    "the other way round": (
        changed(LOOP, B2=[branch(OP.ge_imm, "c", 5, "B3", "B4")]), "B4",
        "the kernel ends in a loop",
    ),
    "no index": (
        changed(LOOP, B3=BODY[1:]), "B2", "it tests neither a counter nor a condition",
    ),
    "no step": (
        changed(LOOP, B3=[*BODY[:-2], BODY[-1]]), "B2",
        "it tests neither a counter nor a condition",
    ),
    "a step of another kind": (
        changed(LOOP, B3=[*BODY[:-2], add("c", "c", 2, klr.AluOp.mult), BODY[-1]]), "B2",
        "it tests neither a counter nor a condition",
    ),
    "backwards": (
        changed(LOOP, B3=[*BODY[:-2], add("c", "c", -1), BODY[-1]]), "B2",
        "it tests neither a counter nor a condition",
    ),
    "no start": (
        changed(LOOP, B1=[load("c"), go("B2")]), "B2",
        "it tests neither a counter nor a condition",
    ),
    "no limit": (
        changed(by_register(), B1=[add("c", "first"), go("B2")]), "B2",
        "it tests neither a counter nor a condition",
    ),
    "a counter in the body": (
        changed(LOOP, B3=[BODY[0], add("r", "c", 7), *BODY[1:]]), "B2",
        "its register `c` is used elsewhere",
    ),
    "a counter that is written": (
        changed(LOOP, B3=[BODY[0], load("c"), *BODY[1:]]), "B2",
        "its register `c` is used elsewhere",
    ),
    "a counter after the loop": (
        changed(LOOP, B4=[add("r", "c", 7)]), "B2", "its register `c` is used elsewhere",
    ),
    "a limit that changes": (
        changed(by_register(), B3=[add("i", "c"), load("l"), *by_register()["B3"][1:]]), "B2",
        "its register `l` is used elsewhere",
    ),
    "a counter as a bound": (
        changed(nested(), B3=[add("i", "c"), put("d", 1), add("l", "c"), go("B4")]), "B2",
        "its register `c` is used elsewhere",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("blocks", "block", "why"), REFUSED.values(), ids=REFUSED)
def test_control_flow_that_is_no_loop_is_refused(blocks, block, why):
    with pytest.raises(NkiError) as caught:
        lowered(blocks)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI4502"
    assert found.message == f"block {block} of function `kernel` is no part of a loop: {why}"


def nest(count: int) -> Blocks:
    """A `while` loop in another, and so on, `count` of them."""
    made: Blocks = {"B0": [put("r", 1), go("H0")]}
    for i in range(count):
        made[f"H{i}"] = [branch(OP.eq_imm, "r", 0, f"A{i}", f"I{i}")]
        made[f"I{i}"] = [go(f"H{i + 1}" if i + 1 < count else f"H{i}")]
    for i in reversed(range(count)):
        made[f"A{i}"] = [go(f"H{i - 1}")] if i else []
    return made


def test_loops_nest_as_deep_as_files_may_say_and_no_deeper():
    assert lowered(nest(MAX_DEPTH))
    with pytest.raises(NkiError) as caught:
        lowered(nest(MAX_DEPTH + 1))
    (found,) = caught.value.diagnostics
    assert found.message == (
        f"block H{MAX_DEPTH} of function `kernel` is no part of a loop: it is the head of a loop "
        f"in {MAX_DEPTH} others"
    )


@pytest.mark.parametrize("structure", [True, False])
def test_blocks_have_names_of_their_own(structure):
    made = kernel({"B1": [load("r"), go("B2")], "B2": [load("s")]})
    made.bodies[0].append(klr.Block("B2", False, [load("t")]))
    with pytest.raises(NkiError, match="another block has its name"):
        KlirToBirCodegen(target("trn2"), structure=structure).run_on_kernel(made)


def test_only_a_function_of_one_block_is_laid_out():
    flat = branched(lowered(LOOP))
    with pytest.raises(NkiError, match=r"block Block1 .*: it is one of several"):
        branched(flat)
