# expect: NKI2702 at line 16
# target: trn2
"""Core 1 sends to core 1."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit(grid=2)
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    part = slice(nl.program_id(0) * 64, nl.program_id(0) * 64 + 64)
    t = nl.load(x[part])
    r = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=t, dst=r, send_to_rank=1, recv_from_rank=1 - nl.program_id(0), pipe_id=0)
    nl.store(out[part], r)
    return out


# says: `send_to_rank` is 1 on core 1, which is the core itself; the other core is 0
# help: pass 1 - nl.program_id(0)
