# expect: NKI1023 at line 21
"""A target that does not exist."""

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
    return nki.simulate(kernel, target="trn9")(np.zeros((128, 64), np.float32))


# says: there is no target named trn9
# help: choose one of trn1, inf2, gen2, sunda, trn2, gen3, cayman, trn3, gen4, corev4, mariana
