# expect: NKI2115 at line 11
"""Both inputs of a scan are in PSUM."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    moved = nl.zeros(t.shape, nl.float32, nl.psum)
    nisa.tensor_tensor_scan(t, moved, moved, 0.0, nl.multiply, nl.add)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `data0` and `data1` of tensor_tensor_scan are both in psum; at most one may be
# help: copy one of them to SBUF with nisa.tensor_copy
