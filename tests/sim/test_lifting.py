"""BIR that the simulator reads but has no meaning for is refused, not guessed."""

from __future__ import annotations

import pytest

from opennki.base.diag import NkiError
from opennki.birpy import parse_module
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory
from opennki.sim.ref import bir
from opennki.target import target

MODULE = """bir.module arch=gen3 version=2 {{
  function @k inputs=[x] outputs=[t] {{
    memloc %x: float32[4, 4] DRAM ExternalInput
    memloc %t: float32[4, 4] DRAM ExternalOutput
    block Block1 {{
      I-0 = DMACopy SP outs(%t) ins(%x) {{mode={mode}}}
    }}
  }}
}}"""


def simulate(mode):
    function = parse_module(MODULE.format(mode=mode)).functions[0]
    bir.run(function, target("trn2"), Machine(Memory().find))


@pytest.mark.parametrize("mode", ["Replicate", "CCE"])
def test_a_form_without_a_meaning_is_refused(mode):
    simulate("Copy")
    with pytest.raises(NkiError) as caught:
        simulate(mode)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI9003"
    assert found.message.startswith("opennki does not model DMACopy with mode=")


PRODUCT = """bir.module arch=core_v4 version=2 {{
  function @k inputs=[] outputs=[] {{
    memloc %data: float8_e5m2_x4[32, 2] SB Internal
    memloc %scale: uint8[4, 2] SB Internal
    memloc %wide: bfloat16[32, 2] SB Internal
    memloc %acc: float32[2, 2] PSUM Internal
    block Block1 {{
      I-0 = {product}
    }}
  }}
}}"""

PLAIN = "Matmult PE outs(%acc) ins(%wide, %wide) {{{attrs}}}"
MX = "MatmultMx PE outs(%acc) ins(%data, %data, %scale, %scale) {{{attrs}}}"


def multiply(form, attrs):
    text = PRODUCT.format(product=form.format(attrs=attrs))
    function = parse_module(text).functions[0]
    bir.run(function, target("trn3"), Machine(Memory().find))


@pytest.mark.parametrize(
    ("form", "attrs"),
    [
        *((form, f"{key}={value}") for form in (PLAIN, MX) for key, value in (
            ("replication_num_rows", 2), ("ifmap_quant_offset", 1), ("weights_quant_offset", 1),
        )),
        (MX, "is_transpose=true"), (MX, "is_fmap_onezero=true"), (MX, "perf_mode=DOUBLE_ROW"),
    ],
)  # fmt: skip
def test_a_product_does_only_what_the_op_table_has(form, attrs):
    multiply(form, "tile_size=[32, 128], tile_position=[96, 0], accumulation_flag=3")
    with pytest.raises(NkiError) as caught:
        multiply(form, attrs)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI9003"
    assert attrs.partition("=")[0] in found.message


COLLECTIVE = """bir.module arch=gen3 version=2 {{
  function @k inputs=[x] outputs=[t] {{
    memloc %x: float32[4, 4] DRAM ExternalInput
    memloc %t: float32[4, 4] DRAM ExternalOutput
    block Block1 {{
      I-0 = CollectiveCompute POOL outs(%t) ins(%x) {{{attrs}}}
    }}
  }}
}}"""


def collect(attrs):
    function = parse_module(COLLECTIVE.format(attrs=attrs)).functions[0]
    bir.run(function, target("trn2"), Machine(Memory().find))


@pytest.mark.parametrize(
    "more",
    [
        "is_local=true", "stream_id=3", "pipe_id=1", 'queue="q"', "can_read_uninit=true",
        "cc_type_hint=TP",
    ],
)  # fmt: skip
def test_a_collective_of_another_form_is_refused(more):
    plain = 'cc_channel=["AllReduce", [[0]], "add"]'
    collect(plain)
    collect(f"{plain}, stream_id=-1")
    with pytest.raises(NkiError) as caught:
        collect(f"{plain}, {more}")
    assert [found.code.id for found in caught.value.diagnostics] == ["NKI9003"]


def test_kinds_that_no_call_makes_are_refused():
    for kind in ("SendRecv", "SendRecvCCE", "PermuteReduce"):
        with pytest.raises(NkiError, match="NKI9003"):
            collect(f'cc_channel=["{kind}", [], "bypass"]')
