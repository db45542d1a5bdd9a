# expect: NKI2113 at line 11
# target: trn2
"""The Scalar engine multiplies and adds, and has no maximum."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.tensor_scalar(t, t, nl.maximum, 0.0, engine=nisa.engine.scalar)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_scalar cannot run on the scalar engine
# help: choose one of: vector; the scalar engine runs multiply+add, multiply, or add, from trn2 on
