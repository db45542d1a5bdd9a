# expect: NKI1030 at line 14
"""The mask of the 0.1 language."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=t, mask=None)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the keyword `mask` is not part of the language since 0.2
# help: slice the operands, or use nisa.affine_select
