# expect: NKI1029 at line 10
"""A function of the language that does not exist here yet."""

import nki
import nki.isa as nisa


@nki.jit
def kernel(x):
    nisa.dma_compute(x, [x], None)
    return x
