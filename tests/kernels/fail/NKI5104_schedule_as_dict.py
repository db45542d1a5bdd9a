# expect: NKI5104 at line 18
"""A schedule is a list of pairs."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x, name="load")
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0, name="add")
    nisa.dma_copy(dst=x, src=t)


def main():
    kernel.with_schedule({"add": "load"})


# says: with_schedule takes a list of pairs of instruction names, and got dict {'add': 'load'}
# help: write pairs (later, earlier) or (later, [earlier, ...]), with the names that the
#   instructions have by name=
