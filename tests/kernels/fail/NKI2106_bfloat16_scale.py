# expect: NKI2106 at line 11
"""The scale of an activation is a bfloat16 vector."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    half = nl.full((128, 1), 1.0, nl.bfloat16)
    nisa.activation(t, nl.exp, t, scale=half)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `scale` is bfloat16; activation accepts float32 on trn3 (corev4)
# help: convert with nisa.tensor_copy into a tile of an accepted dtype
