# expect: NKI1017 at line 10
"""A function that calls itself for ever."""

import nki
import nki.isa as nisa
import nki.language as nl


def halve(t):
    return halve(t[:, 0:1])


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    return halve(t)


# says: `halve` calls itself without end
# help: end the recursion on a number known while tracing, such as a shape or a depth argument
