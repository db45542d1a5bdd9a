# expect: NKI6003 at line 10
"""The logarithm of zero, which its table does not have."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    nisa.activation(t, nl.log, t)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: log got 0.0; its table is valid from 5.421010862427522e-20 to 1.8446744073709552e+19
# help: bring the input into the range first; for sin subtract multiples of 2 pi
