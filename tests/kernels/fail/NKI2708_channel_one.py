# expect: NKI2708 at line 16
# target: trn2
"""The only channel has number 1."""

import nki
import nki.collectives as ncc
import nki.language as nl


@nki.jit
def kernel(x):
    alone = ncc.ReplicaGroup([[0]])
    t = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    ncc.collective_permute_implicit([[t]], [[t]], alone, channel_ids=[1])
    return out


# says: channel_ids of nki.collectives.collective_permute_implicit are (1,); they are 0, 1, 2 and so
#   on
# help: leave channel_ids out, or number the channels 0, 1, 2, ... and give tensors for each
