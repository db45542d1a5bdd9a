# expect: NKI2706 at line 19
# target: trn2
"""A sum of tiles of three dimensions."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def kernel(x):
    alone = ncc.ReplicaGroup([[0]])
    t = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    deep = t.reshape((128, 8, 8))
    into = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    same = into.reshape((128, 8, 8))[:, :, 0:8]
    ncc.all_reduce(srcs=[deep], dsts=[same], replica_group=alone, op=nl.add)
    return out


# says: operand `src` has 3 dimensions; in SBUF a collective takes tiles of 2
# help: reshape `src` to (partitions, elements)
