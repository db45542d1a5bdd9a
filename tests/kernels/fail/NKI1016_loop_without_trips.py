# expect: NKI1016 at line 12
"""An output that only a loop without trips would write."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 256):
        nl.store(out[i * 256 : (i + 1) * 256], nl.load(x[i * 256 : (i + 1) * 256]))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: output `out` is returned but no instruction writes it
# help: copy the result into `out` with nisa.dma_copy; look for a loop that runs zero times
