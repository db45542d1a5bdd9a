# expect: NKI2504 at line 10
"""activation_reduce has no slope for prelu."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.activation_reduce(t, nl.prelu, t, nl.add, None)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: prelu has slope 0 here, which makes it relu
# help: use op=nl.relu if that is meant; nisa.activate2 takes a slope as relu_param
