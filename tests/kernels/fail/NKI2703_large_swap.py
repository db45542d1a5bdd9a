# expect: NKI2703 at line 16
# target: trn2
"""More than 1024 bytes per partition through GpSimd's DMA."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit(grid=2)
def kernel(x):
    out = nl.ndarray((256, 257), dtype=x.dtype, buffer=nl.shared_hbm)
    other = 1 - nl.program_id(0)
    t = nl.zeros((128, 257), dtype=x.dtype)
    r = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.sbuf)
    nisa.sendrecv(
        src=t, dst=r, send_to_rank=other, recv_from_rank=other, pipe_id=0,
        dma_engine=nisa.dma_engine.gpsimd_dma,
    )  # fmt: skip
    nl.store(out[other * 128 : other * 128 + 128], r)
    return out


# says: operand `src` has 1028 bytes per partition; gpsimd_dma moves at most 1024 of float32
# help: split the tile, or leave dma_engine out
