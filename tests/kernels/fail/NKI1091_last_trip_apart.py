# expect: NKI1091 at line 16
"""A mask makes the last trip an instruction of its own, which overwrites others."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(64)[:, None], nl.arange(64)[None, :]
    for i in nl.affine_range(3):
        tile = nl.load(x[i * 48 + p, f], mask=(i * 48 + p < 128))
        nl.store(out[i * 16 + p, f], tile, mask=(i * 48 + p < 128))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: the 3 trips of the loop over `i` (line 14) write the same elements of `out`
# help: let `i` choose the place that is written, or loop with nl.sequential_range
