# expect: NKI2113 at line 11
"""Bits of a tile and a number, on GpSimd."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    i = nl.zeros(t.shape, nl.int32)
    nisa.tensor_scalar(i, i, nl.bitwise_and, 7, engine=nisa.engine.gpsimd)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_scalar cannot run on the gpsimd engine
# help: choose one of: vector; bitvec operators exist there only
