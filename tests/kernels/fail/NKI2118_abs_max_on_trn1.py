# expect: NKI2118 at line 15
# target: trn1
"""An operator of later targets."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.abs_max, operand0=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: operator abs_max does not exist on the vector engine of trn1 (sunda)
# help: choose another engine, or compile for a newer target
