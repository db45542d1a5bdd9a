# expect: NKI6010 at line 10
"""Integers whose sum float32 does not hold are added by a number."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.full((128, 64), 2**24, nl.int32)
    nisa.tensor_scalar(t, t, nl.add, 1)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: tensor_scalar computes in float32, which cannot hold 8192 result(s) in `dst`: 16777217
#   becomes 16777216
# help: keep results within 2^24, or use nisa.tensor_tensor, which adds, subtracts and multiplies
#   exactly when all its tiles are int32 or uint32 and in SBUF
