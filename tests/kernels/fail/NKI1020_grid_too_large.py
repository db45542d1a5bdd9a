# expect: NKI1020 at line 21
"""Three cores where there are two."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


def main():
    return nki.simulate(kernel[3])(np.zeros((128, 64), np.float32))


# says: launch grid (3,) is not possible: trn3 (corev4) has 2 core(s) per logical core
# help: launch with kernel[1] or kernel[2], or without a grid
