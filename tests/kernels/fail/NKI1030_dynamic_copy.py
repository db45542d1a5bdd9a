# expect: NKI1030 at line 11
"""tensor_copy_dynamic_src is gone since 0.4."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy_dynamic_src(dst=t, src=t)
    nisa.dma_copy(dst=x, src=t)


# says: nki.isa.tensor_copy_dynamic_src is not part of the language since 0.4
# help: use nisa.tensor_copy with a view made by .ap(..., scalar_offset=...)
