# expect: NKI6025 at line 16
# target: trn2
"""Only core 0 comes to the barrier."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit(grid=2)
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    part = slice(nl.program_id(0) * 64, nl.program_id(0) * 64 + 64)
    nl.store(out[part], nl.load(x[part]))
    if nl.program_id(0) == 0:
        nisa.core_barrier(data=out, cores=(0, 1))
    return out


# says: nothing can run any more: core 0 waits at NKI6025_barrier_on_one_core.py:16 (core_barrier on
#   `out`), core 1 has ended
# help: let every core come to the same barriers and transfers in the same order, whatever branches
#   it takes
