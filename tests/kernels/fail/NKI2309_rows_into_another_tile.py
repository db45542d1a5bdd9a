# expect: NKI2309 at line 17
# target: trn2
"""Rows of HBM that are added to one tile and stored into another."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    b = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 1]], channel_multiplier=1)
    nisa.dma_compute(dst=b, srcs=[a, x.vector_select(0, rows)], reduce_op=nl.add)
    nisa.dma_copy(dst=out, src=b)
    return out


# says: dma_compute cannot change these rows in place: it needs two srcs, of which one is dst
# help: scatter: dst=rows, srcs=[rows, tile]; gather: dst=tile, srcs=[tile, rows], where rows is a
#   view in HBM with vector_offset and tile is in sbuf
