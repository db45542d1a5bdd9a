# expect: NKI6009 at line 11
"""An integer above 2**24 becomes a float32."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    large = nl.full((128, 64), 2**24 + 1, nl.int32)
    t = nl.ndarray((128, 64), nl.float32)
    nisa.tensor_copy(t, large)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_copy computes in float32, which cannot hold 8192 integer(s) of `src`: 16777217 is
#   read as 16777216
# help: keep integers within 2^24, or use what does not convert: copies between equal dtypes,
#   bitwise operators, and nisa.tensor_tensor to add, subtract or multiply int32 or uint32 tiles in
#   SBUF
