# expect: NKI6022 at line 17
# target: trn2
"""Core 0 sends tiles that are larger than those of core 1."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit(grid=2)
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    part = slice(core * 64, core * 64 + 64)
    t = nl.load(x[part])
    size = 32 if core == 0 else 16
    nisa.sendrecv(
        src=t[0:size], dst=t[0:size], send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0
    )
    nl.store(out[part], t)
    return out


# says: this core receives float32[32, 64] and the other one sends float32[16, 64]
# help: let both cores exchange tiles of one shape and dtype, or use another pipe_id
