# expect: NKI2705 at line 17
# target: trn2
"""Two tiles in SBUF share a call."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def kernel(x):
    alone = ncc.ReplicaGroup([[0]])
    t = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.load(x)
    nl.store(out, u)
    ncc.all_reduce(srcs=[t, u], dsts=[t, u], replica_group=alone, op=nl.add)
    return out


# says: `srcs` of nki.collectives.all_reduce has 2 tensors; it takes one where tensors are in SBUF
# help: call nki.collectives.all_reduce once for each tensor, and give it as many destinations as
#   sources
