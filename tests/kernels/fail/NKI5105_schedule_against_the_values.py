# expect: NKI5105 at line 20
"""The load cannot follow the instruction that reads what it loads."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x, name="load")
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0, name="add")
    nisa.dma_copy(dst=x, src=t)


def main():
    scheduled = kernel.with_schedule([("load", ["add"])])
    scheduled(np.zeros((128, 64), np.float32))


# says: `load` cannot run after `add`: `add` must follow `load`
# help: remove one of the edges, or turn it round
