# expect: NKI1022 at line 15
"""A parameter that is written and not annotated as mutable."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, tile)
    nl.store(x, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: the kernel writes its argument `x`, which it may not: it is not annotated as mutable
# help: allocate an output with nl.ndarray(..., buffer=nl.shared_hbm), write and return that; in the
#   0.1 language annotate the parameter as nki.typing.mutable_tensor and return it
