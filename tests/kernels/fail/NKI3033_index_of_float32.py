# expect: NKI3033 at line 14
"""Rows that are chosen by numbers that are no integers."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=rows, value=0.0)
    nisa.dma_copy(dst=out, src=x.vector_select(0, rows))
    return out


# says: this run-time index is not usable: the index is float32, not an integer
# help: pass a register (nisa.register_alloc), or an integer tile in sbuf: (1, 1) for scalar_offset
#   and select, (rows, 1) for vector_offset and vector_select
