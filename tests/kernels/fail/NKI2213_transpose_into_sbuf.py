# expect: NKI2213 at line 15
"""A transpose on the PE array into SBUF."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    turned = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst=turned, data=t, engine=nisa.engine.tensor)
    nisa.dma_copy(dst=out, src=t)
    return out


# says: the tensor engine transposes from sbuf to psum; `dst` is in sbuf
# help: for the Tensor engine put data in SBUF and dst in PSUM; the Vector engine takes both
