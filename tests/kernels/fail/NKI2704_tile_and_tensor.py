# expect: NKI2704 at line 15
# target: trn2
"""A sum of tiles into a tensor in HBM."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def kernel(x):
    alone = ncc.ReplicaGroup([[0]])
    t = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ncc.all_reduce(srcs=[t], dsts=[out], replica_group=alone, op=nl.add)
    return out


# says: operand `dst` of all_reduce is in shared_hbm, and `src` is in sbuf
# help: copy one of them with nisa.dma_copy first, so that all are in HBM or all in SBUF
