# expect: NKI2105 at line 13
"""A tensor in the wrong memory: said once, though it is in three places."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.hbm)
    nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.add)
    nisa.dma_copy(dst=out, src=x)
    return out


# says: operand `dst` is in private_hbm; tensor_tensor writes it to psum or sbuf
# help: allocate `dst` in psum or sbuf and copy the result from there
