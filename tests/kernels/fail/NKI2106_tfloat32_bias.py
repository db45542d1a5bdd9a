# expect: NKI2106 at line 11
"""The bias of an activation is a tfloat32 vector."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    bias = nl.full((128, 1), 1.0, nl.tfloat32)
    nisa.activation(t, nl.exp, t, bias=bias)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `bias` is tfloat32; activation accepts bool, uint8, int8, uint16, int16, uint32,
#   int32, float16, bfloat16, float32, float8_e4m3, float8_e4m3fn, float8_e5m2, float8_e8m0fnu on
#   trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
