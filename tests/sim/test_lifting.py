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
