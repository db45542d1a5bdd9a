# expect: NKI1062 at line 17
"""A tile that is kept from one launch to the next."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

kept = []


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    kept.append(nl.load(x))
    nisa.dma_copy(dst=out, src=kept[0])
    return out


def main():
    x = np.zeros((128, 64), np.float32)
    for _ in range(2):
        nki.simulate(kernel)(x)


# says: the tensor `load` does not belong to this launch
# help: make the tensor in the kernel that uses it, or pass its contents as an argument
