# expect: NKI5002 at line 14
"""Twenty tiles of 16 KiB at once."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.sbuf) for _ in range(20)]
    for t in tiles:
        nisa.dma_copy(dst=t[:, 0:64], src=x)
    for t in tiles:
        nisa.dma_copy(dst=out, src=t[:, 0:64])
    return out


# says: 240 KiB (245760 bytes) per partition of SBUF are in use from this line on; trn3 (corev4) has
#   240 KiB (245752 bytes)
# help: use smaller tiles, or write tiles to HBM with nisa.dma_copy until they are needed
