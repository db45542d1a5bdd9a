# expect: NKI5106 at line 21
"""Only the outermost kernel has a schedule."""

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


@nki.jit
def outer(x):
    kernel.with_schedule([("add", "load")])(x)


def main():
    outer(np.zeros((128, 64), np.float32))


# says: kernel `kernel` has a schedule and is called from inside another kernel
# help: call with_schedule on the outermost kernel; it finds the instructions of `kernel` by name
