# expect: NKI6021 at line 17
"""An index whose second element is beyond the end."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    idx = nl.ndarray((128, 1), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.memset(dst=idx, value=63)
    y = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=y, src_buffer=t, index=idx, num_elem_per_idx=2, num_valid_indices=16)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: local_gather reads 128 index(es) in `index` that are no place in `src_buffer`: the first,
#   element 0 of partition 0, is 63, and the last place is 62
# help: bring indices into 0 to 62 first, for instance with nisa.tensor_scalar and nl.minimum; look
#   for 0xFFFFFFFF, with which searches say that they found nothing
