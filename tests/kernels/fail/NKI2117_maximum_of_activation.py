# expect: NKI2117 at line 11
"""An activation that keeps the maximum, where it only adds."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    reset = nisa.reduce_cmd.reset_reduce
    nisa.activation(t, nl.exp, t, reduce_op=nl.maximum, reduce_cmd=reset)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: the reduction in activation has no operator maximum; it supports add
# help: choose another operator or another instruction
