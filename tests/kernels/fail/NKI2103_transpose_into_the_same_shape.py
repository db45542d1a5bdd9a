# expect: NKI2103 at line 11
"""A transposed tile has the transposed shape."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    same = nl.ndarray((128, 64), nl.float32, nl.psum)
    nisa.nc_transpose(same, t)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `dst` has partitions = 128, and `data` gives partitions = 64; nc_transpose needs
#   them equal
# help: give both partitions = 64, or check which operand is transposed
