# expect: NKI2707 at line 15
# target: trn2
"""A rank in two groups."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    groups = ncc.ReplicaGroup([[0, 1], [1, 2]])
    ncc.all_reduce(srcs=[t], dsts=[t], replica_group=groups, op=nl.add)
    nl.store(out, t)
    return out


# says: [[0, 1], [1, 2]] are no groups of the ranks of a launch: rank 1 is in it twice
# help: let every rank be in exactly one group, and launch with opennki.launch(kernel, ranks=n)
