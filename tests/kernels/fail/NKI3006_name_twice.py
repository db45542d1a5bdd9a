# expect: NKI3006 at line 13
"""A name that is taken."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(2):
        t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, name="t")
        nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the name `t` is already taken by a tensor made at NKI3006_name_twice.py:13
# help: leave name= out, or add the loop index: name=f't_{i}'
