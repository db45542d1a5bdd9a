# expect: NKI6005 at line 12
# target: trn2
"""A product is added to zeros of a memset, which gen3 does not support."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    a = nl.load(x)
    acc = nl.zeros((64, 64), nl.float32, nl.psum)
    nisa.nc_matmul(acc, a, a, accumulate=True)
    t = nl.copy(acc)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: nc_matmul accumulates onto `acc`, which was last written by an instruction that is not a
#   matmul
# help: let the first matmul overwrite, and add the initial value with nisa.tensor_tensor
