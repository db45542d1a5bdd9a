"""BIR modules that call kernels, and their runs, for tests."""

from __future__ import annotations

import copy

import numpy as np

from opennki.backend import build
from opennki.backend.inline_kernels import inline_kernels
from opennki.base.diag import NkiError, Severity
from opennki.birpy import Module, parse_module, verify
from opennki.sim import cores
from opennki.sim.cores import Party
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory
from opennki.sim.ref import bir, program
from opennki.target import target

TARGET = target("trn2")

DOUBLE = """  kernel @double inputs=[x] outputs=[out] {
    memloc %x: float32[4, 8] DRAM ExternalInput
    memloc %out: float32[4, 8] DRAM ExternalOutput
    memloc %t: float32[4, 8] SB Internal
    block Block1 {
      I-0 = DMACopy SP outs(%t) ins(%x) {mode=Copy}
      I-1 = TensorTensor DVE outs(%t) ins(%t, %t) {op=add}
      I-2 = DMACopy SP outs(%out) ins(%t) {mode=Copy}
    }
  }
"""
"""A kernel whose result is twice its argument."""


def call(name: str, ins: str, outs: str, func: str = "double", more: str = "") -> str:
    """The text of a call of a kernel with the argument `x` and the result `out`."""
    attrs = f'{{func="{func}", func_args=["x"], func_outs=["out"]{more}}}'
    return f"{name} = NKIKernel UNASSIGNED outs({outs}) ins({ins}) {attrs}"


def module(body: str, memlocs: str = "", kernels: str = DOUBLE, rows: int = 4) -> Module:
    """A module whose function @main has the argument `a` and the result `b`, both (rows, 8)."""
    text = f"""bir.module arch=gen3 version=2 {{
{kernels}  function @main inputs=[a] outputs=[b] {{
    memloc %a: float32[{rows}, 8] DRAM ExternalInput
    memloc %b: float32[{rows}, 8] DRAM ExternalOutput
    {memlocs}
    block Block1 {{
      {body}
    }}
  }}
}}
"""
    made = parse_module(text)
    assert [d.message for d in verify(made) if d.severity is Severity.error] == []
    return made


def results(made: Module, a: np.ndarray) -> np.ndarray:
    """What `b` becomes of `a`: the same at both levels."""
    expanded = inline_kernels(made)
    assert [d.message for d in verify(expanded) if d.severity is Severity.error] == []
    scheduled, found = build(copy.deepcopy(made), TARGET)
    if scheduled is None:
        raise NkiError(found)
    outcomes = []
    for level in ("bir", "program"):
        memory = Memory()
        function = expanded.functions[0]
        memory.find(function.memlocs["a"]).fill(a)
        machine = Machine(memory.find)
        steps = bir.steps(function, TARGET, machine)
        if level == "program":
            steps = program.steps(scheduled, 0, machine, memory)
        cores.run([Party(0, 0, machine, steps)])
        outcomes.append(memory.find(function.memlocs["b"]).values())
    assert outcomes[0].tobytes() == outcomes[1].tobytes()
    return outcomes[1]
