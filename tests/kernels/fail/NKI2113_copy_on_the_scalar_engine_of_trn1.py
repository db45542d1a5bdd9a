# expect: NKI2113 at line 11
# target: trn1
"""The Scalar engine copies tiles from trn2 on."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_copy(t, t, engine=nisa.engine.scalar)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_copy cannot run on the scalar engine
# help: choose one of: vector, gpsimd; the scalar engine copies tiles from trn2 on; use
#   activation(op=nl.copy)
