# expect: NKI1038 at line 14
"""Programs of a launch that share a tensor, but not its shape."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows = 128 - 64 * nl.program_id(0)
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[0:rows])
    return out


def main():
    kernel[2](np.zeros((128, 64), np.float32))


# says: program 1 of the launch makes `out` as float32[64, 64]; program 0 makes it as float32[128,
#   64]
# help: make and return the same shared_hbm tensors in every program, outside of conditions on
#   nl.program_id
