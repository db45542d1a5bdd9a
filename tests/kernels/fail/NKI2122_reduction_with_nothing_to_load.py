# expect: NKI2122 at line 11
"""load_reduce without a first value."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    load = nisa.reduce_cmd.load_reduce
    nisa.tensor_scalar_reduce(t, t, nl.add, 1.0, nl.add, reduce_cmd=load)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `reduce_init` must be given when reduce_cmd is load_reduce
# help: pass `reduce_init=`
