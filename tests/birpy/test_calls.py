"""Calls of kernels in BIR: their rules, text and JSON."""

from __future__ import annotations

import pytest

from opennki.base.diag import Severity
from opennki.birpy import dumps, loads, parse_module, print_module, verify
from opennki.birpy.calls import is_dense

MODULE = """bir.module arch=gen3 version=2 {
  kernel @f inputs=[x] outputs=[out] {
    memloc %x: float32[128, 8] DRAM ExternalInput
    memloc %out: float32[128, 8] DRAM ExternalOutput
    memloc %t: float32[128, 8] SB Internal
    block Block1 {
      I-0 = DMACopy SP outs(%t) ins(%x) {mode=Copy}
      I-1 = DMACopy SP outs(%out) ins(%t) {mode=Copy}
    }
  }
  function @main inputs=[a] outputs=[b] {
    memloc %a: float32[256, 8] DRAM ExternalInput
    memloc %b: float32[128, 8] DRAM ExternalOutput
    memloc %s: float32[128, 8] SB Internal
    memloc %r: int32[1, 1] REG Internal
    block Block1 {
      c = NKIKernel UNASSIGNED outs(%b) ins(%a[1024; 8*128, 1*8]) {func="f", func_args=["x"], \
func_outs=["out"], kernel_source_val=Beta2, sb_buf_shape=[128, 32]}
    }
  }
}
"""


def found(text: str) -> list[tuple[str, str]]:
    errors = [d for d in verify(parse_module(text)) if d.severity is Severity.error]
    return [(d.code.id, d.message) for d in errors]


def test_text_and_json_give_kernels_and_calls_back():
    module = parse_module(MODULE)
    assert print_module(module) == MODULE.replace("\\\n", "")
    assert loads(dumps(module)) == module
    assert found(MODULE) == []


def test_the_file_has_kernels_beside_functions():
    text = dumps(parse_module(MODULE))
    assert '"nki_functions":[{' in text
    assert '"func_args":["x"],"func_outs":["out"]' in text
    assert '"kernel_source_val":"Beta2"' in text
    assert "nki_functions" not in dumps(loads('{"version":2,"arch":"gen3","functions":[]}'))


@pytest.mark.parametrize(
    ("old", "new", "code", "why"),
    [
        ('func="f"', 'func="g"', "NKI4005", "kernel `g` is used but not defined"),
        ('func_args=["x"]', "func_args=[]", "NKI2811", "func_args has 0 names for 1 operands"),
        ('func_outs=["out"]', 'func_outs=["a", "b"]', "NKI2811", "func_outs has 2 names for 1"),
        ('func_args=["x"]', 'func_args=["y"]', "NKI2811", "it has no argument or result `y`"),
        ('func_args=["x"]', 'func_args=["out"]', "NKI2811", "`out` is named twice"),
        ('func_outs=["out"]', 'func_outs=["x"]', "NKI2811", "`x` is named twice"),
        ("outs(%b) ins(%a[1024; 8*128, 1*8])", "outs() ins(%a[0; 8*128, 1*8])", "NKI2811",
         "func_outs has 1 names for 0 operands"),
        ("8*128, 1*8])", "8*64, 1*8])", "NKI2811",
         "the operand for `x` has 512 elements, and that has 1024"),
        ("1*8])", "1*8]:int32)", "NKI2811", "the operand for `x` is int32, and that is float32"),
        ("%a[1024; 8*128, 1*8]", "%s", "NKI2811", "is in SB, and that is in DRAM"),
        ("%a[1024; 8*128, 1*8]", "%r", "NKI2811", "the operand for `x` is a register"),
        ("%a[1024; 8*128, 1*8]", "1.0:float32", "NKI2811", "the operand for `x` is a number"),
        ("sb_buf_shape=[128, 32]", "sb_buf_shape=[128, 31]", "NKI2811",
         "`t` takes 128 partitions of 32 bytes, and sb_buf_shape gives 128 of 31"),
        ("sb_buf_shape=[128, 32]", "sb_buf_shape=[64, 32]", "NKI2811", "gives 64 of 32"),
        ("sb_buf_shape=[128, 32]", "address_rotation_scope_val=Kernel", "NKI9003",
         "a call of a kernel whose storages rotate among several places"),
        ("inputs=[x] outputs=[out]", "inputs=[x, out] outputs=[]", "", ""),
        ("inputs=[x] outputs=[out]", "inputs=[x] outputs=[out, t]", "NKI2811",
         "nothing takes the place of `t`"),
    ],
)  # fmt: skip
def test_a_call_fits_its_kernel(old, new, code, why):
    assert old in MODULE
    faults = found(MODULE.replace(old, new))
    if not code:
        assert faults == []
        return
    assert [id for id, _ in faults] == [code]
    assert why in faults[0][1]


def test_a_call_says_that_it_does_not_fit():
    (fault,) = found(MODULE.replace("8*128, 1*8])", "8*64, 1*8])"))
    assert fault == (
        "NKI2811",
        "the call of kernel `f` does not fit it: the operand for `x` has 512 elements, and that "
        "has 1024",
    )


def test_psum_has_to_fit_all_banks_of_the_buffer():
    text = MODULE.replace("%t: float32[128, 8] SB", "%t: float32[128, 8] PSUM")
    fits = text.replace("sb_buf_shape=[128, 32]", "psum_buf_shape=[2, 128, 16]")
    assert found(fits) == []
    (fault,) = found(fits.replace("[2, 128, 16]", "[1, 128, 16]"))
    assert "psum_buf_shape gives 128 of 16" in fault[1]


def test_storage_on_chip_is_taken_whole():
    text = MODULE.replace("%x: float32[128, 8] DRAM", "%x: float32[128, 8] SB")
    assert found(text.replace("%a[1024; 8*128, 1*8]", "%s")) == []
    wide = text.replace("%a[1024; 8*128, 1*8]", "%s[0; 16*128, 1*8]")
    (fault,) = found(wide.replace("%s: float32[128, 8]", "%s: float32[128, 16]"))
    assert "is not all of a storage of shape [128, 8]" in fault[1]


def test_no_kernel_calls_itself():
    call = (
        'c = NKIKernel UNASSIGNED outs(%out) ins(%x) {func="f", func_args=["x"], func_outs=["out"]}'
    )
    text = MODULE.replace("I-1 = DMACopy SP outs(%out) ins(%t) {mode=Copy}", call)
    assert found(text) == [("NKI2812", "kernel `f` calls itself, by way of f -> f")]


def test_names_of_functions_and_kernels_differ():
    text = MODULE.replace("function @main", "function @f")
    with pytest.raises(Exception, match="NKI4004"):
        parse_module(text)
    module = parse_module(MODULE)
    module.functions[0].name = "f"
    assert "NKI4004" in [d.code.id for d in verify(module)]


@pytest.mark.parametrize(
    ("ap", "dense"),
    [
        (((8, 4), (1, 8)), True), (((9, 4), (1, 8)), False), (((9, 1), (1, 8)), True),
        (((1, 4),), True), (((2, 4),), False), (((0, 4), (1, 8)), False),
        (((16, 2), (8, 2), (1, 8)), True), (((1, 8), (8, 4)), False),
    ],
)  # fmt: skip
def test_dense_patterns(ap, dense):
    assert is_dense(ap) is dense
