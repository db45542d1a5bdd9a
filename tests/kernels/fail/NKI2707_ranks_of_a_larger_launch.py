# expect: NKI2707 at line 16
# target: trn2
"""A kernel for two ranks, called on one."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def kernel(x):
    t = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    pair = ncc.ReplicaGroup([[0, 1]])
    ncc.all_reduce(srcs=[t], dsts=[t], replica_group=pair, op=nl.add)
    return out


# says: [[0, 1]] are no groups of the ranks of a launch: the launch has 1 rank, and rank 1 is none
#   of them
# help: let every rank be in exactly one group, and launch with opennki.launch(kernel, ranks=n)
