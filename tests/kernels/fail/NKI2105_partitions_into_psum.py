# expect: NKI2105 at line 15
"""A reduction of partitions into PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    s = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_partition_reduce(dst=s, op=nl.add, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operand `dst` is in psum; tensor_partition_reduce writes it to sbuf
# help: allocate `dst` in sbuf and copy the result from there
