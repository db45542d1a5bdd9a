# expect: NKI1002 at line 14
"""A condition that depends on the elements of a tile."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if tile:
        nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: a condition (`if`, `while`, `and`, `or`, `not`, bool()) needs the elements of float32[128,
#   64] in sbuf, which are known on the device only
# help: select elements with nisa.tensor_copy_predicated or nisa.select_reduce
