# expect: NKI2115 at line 16
"""Two inputs in PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=acc, value=0)
    nisa.tensor_tensor(dst=t, data1=acc, data2=acc, op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: `data1` and `data2` of tensor_tensor are both in psum; at most one may be
# help: copy one of them to SBUF with nisa.tensor_copy
