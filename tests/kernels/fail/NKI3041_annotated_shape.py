# expect: NKI3041 at line 15
"""A tile whose annotation says another shape."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns = 32
    tile: nt.tensor[128, columns] = nl.load(x)
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: `tile` is annotated as (128, 32), and the tile that it is bound to is (128, 64)
# help: correct the annotation, or the call that makes the tile
