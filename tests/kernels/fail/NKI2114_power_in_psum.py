# expect: NKI2114 at line 11
"""Powers are computed by GpSimd, which does not reach PSUM."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    moved = nl.zeros(t.shape, nl.float32, nl.psum)
    nisa.tensor_tensor(t, moved, t, nl.power)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `data1` is in psum, and tensor_tensor runs on the GpSimd engine
# help: copy `data1` to SBUF first
