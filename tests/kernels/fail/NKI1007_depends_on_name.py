# expect: NKI1007 at line 12
"""depends_on takes what calls of nki.isa return, not names."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x, name="load")
    clear = nisa.tensor_copy(dst=t, src=t)
    clear.depends_on("load")
    nisa.dma_copy(dst=x, src=t)


# says: `producers` of `depends_on` must be what a call of nki.isa returned, and is 'load'
# help: pass what a call of nki.isa returned
