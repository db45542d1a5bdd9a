# expect: NKI1083 at line 14
"""A mask that is combined by `|`."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    tile = nl.load(x[p, f], mask=(p < 10) | (p > 100))
    nl.store(out, tile)
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: masks cannot be combined with `|`
# help: combine comparisons (<, <=, >, >=, ==) by `&`; call twice for `|`
