# expect: NKI2504 at line 14
"""prelu without a slope."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activation(dst=t, op=nl.prelu, data=t)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: prelu has slope 0 here, which makes it relu
# help: use op=nl.relu if that is meant; nisa.activate2 takes a slope as relu_param
