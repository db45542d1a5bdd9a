# expect: NKI1051 at line 11
"""Calls of 0.2 have dtype=, which is accepted with a warning."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_copy(dst=t, src=t, dtype=nl.float32)
    nisa.dma_copy(dst=x, src=t)


# says: the keyword `dtype` of calls of nki.isa is not part of the language since 0.3; it is taken
#   for what it meant before
# help: leave it out; an instruction converts to the dtype of dst; nki.simulate(kernel, nki='0.2')
#   takes the kernel as one of that version
