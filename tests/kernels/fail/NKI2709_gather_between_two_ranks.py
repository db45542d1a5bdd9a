# expect: NKI2709 at line 14
# target: trn2
"""A gather of variable length between two ranks."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit(grid=2)
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    counts = nl.ndarray((3, 2), dtype=nl.uint32, buffer=nl.shared_hbm)
    ncc.all_gather_v([x], [out], ncc.ReplicaGroup([[0, 1]]), counts)
    return out


# says: all_gather_v is not possible: groups have 4 ranks, those of one device
# help: look at the groups of ranks, and at the table of counts, against what is supported
