# expect: NKI5101 at line 20
"""A schedule names an instruction that the kernel does not have."""

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
    scheduled = kernel.with_schedule([("add", "laod")])
    scheduled(np.zeros((128, 64), np.float32))


# says: no instruction is named `laod`
# help: did you mean `load`?; name an instruction of the same function
