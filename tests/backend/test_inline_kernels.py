"""Calls of kernels are expanded: names, operands, copies, edges, loops."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

from opennki.backend import build
from opennki.backend.inline_kernels import inline_kernels
from opennki.base.diag import NkiError
from opennki.base.loc import SrcLoc
from opennki.birpy import EdgeKind, print_module

from .calls import DOUBLE, TARGET, call, module, results

A = np.arange(32, dtype=np.float32).reshape(4, 8)


def body(made) -> list[str]:
    """The statements of @main, without what they share."""
    lines = print_module(made).splitlines()
    start = next(k for k, line in enumerate(lines) if "function @main" in line)
    kept = [line.strip() for line in lines[start:] if " = " in line]
    return [line.replace(" {mode=Copy}", "").replace(" {op=add}", "") for line in kept]


def test_a_call_becomes_the_instructions_of_its_kernel():
    made = module(call("c", "%a", "%b"))
    expanded = inline_kernels(made)
    assert body(expanded) == [
        '"c/I-0" = DMACopy SP outs(%"c/t") ins(%a)',
        '"c/I-1" = TensorTensor DVE outs(%"c/t") ins(%"c/t", %"c/t")',
        '"c/I-2" = DMACopy SP outs(%b) ins(%"c/t")',
    ]
    assert expanded.nki_functions == []
    assert (results(made, A) == 2 * A).all()


def test_a_module_without_calls_is_not_copied():
    made = module("I-0 = DMACopy SP outs(%b) ins(%a) {mode=Copy}")
    assert inline_kernels(made) is made


def test_expanding_and_building_leave_module_and_kernel_as_they_were():
    made = module(call("c", "%a", "%b"))
    before, kernel = print_module(made), copy.deepcopy(made.nki_functions[0])
    inline_kernels(made)
    assert print_module(made) == before
    program, _ = build(made, TARGET)
    assert program is not None
    assert made.nki_functions[0] == kernel
    assert kernel.memlocs["t"].address is None


def test_every_call_has_storages_and_names_of_its_own():
    made = module(
        call("c", "%a", "%m") + "\n" + call("d", "%m", "%b"),
        "memloc %m: float32[4, 8] DRAM Internal",
    )
    expanded = inline_kernels(made)
    names = [inst.name for inst in expanded.functions[0].instructions()]
    assert names == [f"{c}/I-{k}" for c in "cd" for k in range(3)]
    assert {"c/t", "d/t"} < set(expanded.functions[0].memlocs)
    assert (results(made, A) == 4 * A).all()


def test_a_name_that_is_taken_is_not_given_again():
    made = module(
        '"c/I-0" = Memset DVE outs(%"c/t") ins() {mode=Const, constant=0}\n'
        + call("c", "%a", "%b"),
        'memloc %"c/t": float32[4, 8] SB Internal',
    )
    names = [inst.name for inst in inline_kernels(made).functions[0].instructions()]
    assert names == ["c/I-0", "c/I-0_", "c/I-1", "c/I-2"]
    assert "c/t_" in inline_kernels(made).functions[0].memlocs
    assert (results(made, A) == 2 * A).all()


def test_an_operand_at_an_offset_takes_the_place_of_the_argument():
    made = module(
        call("c", "%a[32; 8*4, 1*8]", "%b[0; 8*4, 1*8]") + "\n"
        "I-0 = DMACopy SP outs(%b[32; 8*4, 1*8]) ins(%a[0; 8*4, 1*8]) {mode=Copy}",
        rows=8,
    )
    assert body(inline_kernels(made))[0].endswith("ins(%a[32; 8*4, 1*8])")
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    assert (results(made, a) == np.concatenate([2 * a[4:], a[:4]])).all()


def test_an_operand_with_steps_is_copied():
    """Every second row is doubled."""
    made = module(
        "I-0 = DMACopy SP outs(%b) ins(%a) {mode=Copy}\n"
        + call("c", "%a[8; 16*4, 1*8]", "%b[8; 16*4, 1*8]"),
        rows=8,
    )
    names = [inst.name for inst in inline_kernels(made).functions[0].instructions()]
    assert names == ["I-0", "c/copy_x", "c/I-0", "c/I-1", "c/I-2", "c/copy_out"]
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    want = a.copy()
    want[1::2] *= 2
    assert (results(made, a) == want).all()


ADD_NEXT = """  kernel @shift inputs=[x] outputs=[out] {
    memloc %x: float32[4, 8] DRAM ExternalInput
    memloc %out: float32[4, 8] DRAM ExternalOutput
    memloc %t: float32[4, 8] SB Internal
    block Block1 {
      I-0 = DMACopy SP outs(%out[0; 8*3, 1*8]) ins(%x[8; 8*3, 1*8]) {mode=Copy}
      I-1 = DMACopy SP outs(%t) ins(%x) {mode=Copy}
      I-2 = DMACopy SP outs(%out[24; 8*1, 1*8]) ins(%t[0; 8*1, 1*8]) {mode=Copy}
    }
  }
"""


def test_an_operand_that_the_call_writes_is_read_as_it_was():
    """The kernel writes its first row before it reads that row a second time."""
    made = module(
        "I-0 = DMACopy SP outs(%b) ins(%a) {mode=Copy}\n" + call("c", "%b", "%b", "shift"),
        kernels=ADD_NEXT,
    )
    assert (results(made, A) == np.roll(A, -1, axis=0)).all()


def test_an_argument_that_is_read_as_another_dtype_moves_by_bytes():
    kernel = DOUBLE.replace(
        "I-0 = DMACopy SP outs(%t) ins(%x)",
        "I-0 = DMACopy SP outs(%t[0; 16*4, 1*16]:uint16) ins(%x[0; 16*4, 1*16]:uint16)",
    )
    made = module(
        "I-0 = DMACopy SP outs(%b) ins(%a) {mode=Copy}\n"
        + call("c", "%a[32; 8*4, 1*8]", "%b[0; 8*4, 1*8]"),
        kernels=kernel, rows=8,
    )  # fmt: skip
    assert (
        body(inline_kernels(made))[1]
        == '"c/copy_x" = DMACopy SP outs(%"c/x") ins(%a[32; 8*4, 1*8])'
    )
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    assert (results(made, a) == np.concatenate([2 * a[4:], a[4:]])).all()


def test_a_call_in_a_loop_uses_the_loop_variable():
    loop = "loop L i = 0..2 { block B { " + call("c", "%a[32*i; 8*4, 1*8]", "%b[32*i; 8*4, 1*8]")
    made = module(loop + " } }", rows=8)
    (item,) = inline_kernels(made).functions[0].blocks[0].instructions
    assert item.name == "L"
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    assert (results(made, a) == 2 * a).all()


LOOPS = """  kernel @rows inputs=[x] outputs=[out] {
    memloc %x: float32[4, 8] DRAM ExternalInput
    memloc %out: float32[4, 8] DRAM ExternalOutput
    memloc %t: float32[1, 8] SB Internal
    memloc %n: int32[1, 1] REG Internal
    block Block1 {
      loop L i = 0..2 parallel {
        block B {
          I-0 = DMACopy SP outs(%t) ins(%x[8*i; 8*1, 1*8]) {mode=Copy}
          I-1 = TensorTensor DVE outs(%t) ins(%t, %t) {op=add}
          I-2 = DMACopy SP outs(%out[8*i; 8*1, 1*8]) ins(%t) {mode=Copy}
        }
      }
      dynamic D %n = 2..4 {
        block B {
          I-3 = DMACopy SP outs(%t) ins(%x[0; 8*1, 1*8; %n*8 < 4]) {mode=Copy}
          I-4 = DMACopy SP outs(%out[0; 8*1, 1*8; %n*8 < 4]) ins(%t) {mode=Copy}
        }
      }
    }
  }
"""


def test_loops_of_a_kernel_stay_loops():
    made = module(call("c", "%a", "%b", "rows"), kernels=LOOPS)
    first, second = inline_kernels(made).functions[0].blocks[0].instructions
    assert (first.name, first.axis.name, first.parallel) == ("c/L", "c/i", True)
    assert (second.name, second.register.name, second.stop) == ("c/D", "c/n", 4)
    want = A.copy()
    want[:2] *= 2
    assert (results(made, A) == want).all()


def test_kernels_call_kernels():
    twice = DOUBLE.replace("@double", "@twice")
    inner = '{func="double", func_args=["x"], func_outs=["out"]}'
    outer = f"""  kernel @fourfold inputs=[x] outputs=[out] {{
    memloc %x: float32[4, 8] DRAM ExternalInput
    memloc %out: float32[4, 8] DRAM ExternalOutput
    memloc %m: float32[4, 8] DRAM Internal
    block Block1 {{
      one = NKIKernel UNASSIGNED outs(%m) ins(%x) {inner}
      two = NKIKernel UNASSIGNED outs(%out) ins(%m) {inner}
    }}
  }}
"""
    made = module(call("c", "%a", "%b", "fourfold"), kernels=twice + DOUBLE + outer)
    names = [inst.name for inst in inline_kernels(made).functions[0].instructions()]
    assert names[0] == "c/one/I-0"
    assert (results(made, A) == 4 * A).all()


def test_edges_lead_to_the_last_and_from_the_first_instruction_of_each_engine():
    made = module(
        "m = Memset DVE outs(%s) ins() {mode=Const, constant=0}\n"
        + call("c", "%a", "%b") + " after [m:Ordered]\n"
        "n = Memset DVE outs(%s) ins() {mode=Const, constant=0} after [c:Ordered]",
        "memloc %s: float32[4, 8] SB Internal",
    )  # fmt: skip
    edges = {i.name: i.dependencies for i in inline_kernels(made).functions[0].instructions()}
    ordered = EdgeKind.Ordered
    assert edges == {
        "m": (), "c/I-0": (("m", ordered),), "c/I-1": (("m", ordered),), "c/I-2": (),
        "n": (("c/I-2", ordered), ("c/I-1", ordered)),
    }  # fmt: skip
    assert (results(made, A) == 2 * A).all()


def test_edges_pass_run_time_loops_and_enter_others():
    made = module(
        "m = Memset DVE outs(%s) ins() {mode=Const, constant=0}\n"
        + call("c", "%a", "%b", "rows") + " after [m:Ordered]\n"
        "n = Memset DVE outs(%s) ins() {mode=Const, constant=0} after [c:Ordered]",
        "memloc %s: float32[4, 8] SB Internal", LOOPS,
    )  # fmt: skip
    edges = {i.name: i.dependencies for i in inline_kernels(made).functions[0].instructions()}
    assert [n for n, found in edges.items() if ("m", EdgeKind.Ordered) in found] == [
        "c/I-0", "c/I-1",
    ]  # fmt: skip
    assert [name for name, _ in edges["n"]] == ["c/I-2", "c/I-1"]
    results(made, A)


PRODUCT = """  kernel @product inputs=[x] outputs=[out] {
    memloc %x: float32[4, 4] DRAM ExternalInput
    memloc %out: float32[4, 4] DRAM ExternalOutput
    memloc %t: float32[4, 4] SB Internal
    memloc %p: float32[4, 4] PSUM Internal
    block Block1 {
      I-0 = DMACopy SP outs(%t) ins(%x) {mode=Copy}
      I-1 = Matmult PE outs(%p) ins(%t, %t) {ATTRS}
      I-2 = TensorCopy DVE outs(%t) ins(%p)
      I-3 = DMACopy SP outs(%out) ins(%t) {mode=Copy}
    }
  }
"""
SQUARES = call("c", "%a[16*i; 4*4, 1*4]", "%b[16*i; 4*4, 1*4]", "product")


@pytest.mark.parametrize("attrs", ["{}", "{opennki_accumulate=false}"])
def test_psum_begins_anew_in_every_trip_of_a_run_time_loop(attrs):
    operands = ("%a[0; 4*4, 1*4; %n*16 < 2]", "%b[0; 4*4, 1*4; %n*16 < 2]")
    made = module(
        "dynamic D %n = 0..2 { block B { " + call("c", *operands, "product") + " } }",
        "memloc %n: int32[1, 1] REG Internal", PRODUCT.replace("{ATTRS}", attrs),
    )  # fmt: skip
    (loop,) = inline_kernels(made).functions[0].blocks[0].instructions
    assert [memloc.name for memloc in loop.new] == ["c/p"]
    got = results(made, A).reshape(2, 4, 4)
    tiles = A.reshape(2, 4, 4)
    assert (got == np.swapaxes(tiles, 1, 2) @ tiles).all()


def test_a_rolled_loop_needs_products_that_say_whether_they_accumulate():
    loop = "loop L i = 0..2 { block B { " + SQUARES + " } }"
    made = module(loop, kernels=PRODUCT.replace("{ATTRS}", "{opennki_accumulate=false}"))
    tiles = A.reshape(2, 4, 4)
    assert (results(made, A).reshape(2, 4, 4) == np.swapaxes(tiles, 1, 2) @ tiles).all()
    silent = module(loop, kernels=PRODUCT.replace("{ATTRS}", "{}"))
    with pytest.raises(NkiError) as caught:
        inline_kernels(silent)
    assert [(d.code.id, d.message) for d in caught.value.diagnostics] == [
        ("NKI9003", "opennki does not model a rolled loop around a call of `product`, whose `I-1` "
                    "does not say whether it accumulates, yet"),
    ]  # fmt: skip


def test_storage_on_chip_takes_the_place_of_storage_on_chip():
    kernel = DOUBLE.replace("%x: float32[4, 8] DRAM", "%x: float32[4, 8] SB")
    kernel = kernel.replace(
        "DMACopy SP outs(%t) ins(%x) {mode=Copy}", "TensorCopy DVE outs(%t) ins(%x)"
    )
    made = module(
        "I-0 = DMACopy SP outs(%s) ins(%a) {mode=Copy}\n" + call("c", "%s", "%b"),
        "memloc %s: float32[4, 8] SB Internal",
        kernel,
    )
    assert (results(made, A) == 2 * A).all()


def test_what_cores_share_is_not_copied():
    kernel = DOUBLE.replace("DRAM ExternalOutput", "DRAM ExternalOutput shared")
    made = module(call("c", "%a[0; 8*4, 1*8]", "%b[8; 16*4, 1*8]"), kernels=kernel, rows=8)
    with pytest.raises(NkiError, match=r"NKI9003.*a copy of the operand for `out`"):
        inline_kernels(made)


def test_wrong_calls_are_refused_by_the_back_end():
    made = module(call("c", "%a", "%b"))
    made.functions[0].memlocs["a"].shape = (2, 8)
    inst = next(made.functions[0].instructions())
    inst.attrs = {**inst.attrs, "func": "other"}
    program, found = build(made, TARGET)
    assert program is None
    assert [d.code.id for d in found] == ["NKI4005"]


def test_locations_in_a_kernel_are_called_from_that_of_the_call():
    made = module(call("c", "%a", "%b"))
    inst = next(made.functions[0].instructions())
    inst.loc = SrcLoc("model.py", 7)
    kernel = next(made.nki_functions[0].instructions())
    kernel.loc = SrcLoc("tiles.py", 3, caller=SrcLoc("double.py", 2))
    first, second, _ = inline_kernels(made).functions[0].instructions()
    assert [loc.file for loc in first.loc.chain()] == ["tiles.py", "double.py", "model.py"]
    assert second.loc is inst.loc


def test_psum_of_the_caller_goes_on_from_trip_to_trip():
    """The kernel adds a product to what its caller has in PSUM."""
    kernel = PRODUCT.replace("{ATTRS}", "{opennki_accumulate=true}")
    kernel = kernel.replace("%out: float32[4, 4] DRAM", "%out: float32[4, 4] PSUM")
    kernel = kernel.replace("outs(%p)", "outs(%out)")
    kernel = re.sub("I-[23] = .*", "", kernel)
    made = module(
        "I-9 = Memset DVE outs(%z) ins() {mode=Const, constant=0}\n"
        "I-0 = Matmult PE outs(%p) ins(%z, %z) {opennki_accumulate=false}\n"
        "dynamic D %n = 0..2 { block B { "
        + call("c", "%a[0; 4*4, 1*4; %n*16 < 2]", "%p", "product")
        + " } }\nI-1 = TensorCopy DVE outs(%z) ins(%p)\n"
        "I-2 = DMACopy SP outs(%b[0; 4*4, 1*4]) ins(%z) {mode=Copy}\n"
        "I-3 = DMACopy SP outs(%b[16; 4*4, 1*4]) ins(%z) {mode=Copy}",
        "memloc %p: float32[4, 4] PSUM Internal\nmemloc %z: float32[4, 4] SB Internal\n"
        "memloc %n: int32[1, 1] REG Internal", kernel,
    )  # fmt: skip
    loop = inline_kernels(made).functions[0].blocks[0].instructions[2]
    assert loop.new == []  # neither the operand, nor what the kernel declares and does not use
    tiles = A.reshape(2, 4, 4)
    want = (np.swapaxes(tiles, 1, 2) @ tiles).sum(axis=0)
    assert (results(made, A).reshape(2, 4, 4) == want).all()
