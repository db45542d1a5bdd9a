# expect: NKI2701 at line 14
# target: trn2
"""A barrier with the other core, launched on one."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    nisa.core_barrier(data=out, cores=(0, 1))
    return out


# says: core_barrier needs a launch on the two cores of a logical core; this one is on 1
# help: launch the kernel with kernel[2], or guard the call with nl.num_programs(0) == 2
