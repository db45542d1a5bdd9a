# expect: NKI2105 at line 13
"""An operand that is not loaded."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.add(x, nl.load(x)))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: operand `x` is in private_hbm; nl.add takes it from psum or sbuf
# help: copy `x` first, with nisa.dma_copy between HBM and SBUF or nisa.tensor_copy between SBUF and
#   PSUM
