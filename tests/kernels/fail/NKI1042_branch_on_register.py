# expect: NKI1042 at line 13
"""A branch in Python on a value that only the device has."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    flag = nisa.register_alloc(1)
    if flag:
        nisa.dma_copy(dst=out, src=x)
    return out


# says: a condition (`if`, `and`, `or`, `not`, bool()) needs the value of the register `flag`, which
#   is known on the device only
# help: use `while reg:` with nothing but the register, or nl.while_loop; choose elements with
#   nisa.tensor_copy_predicated
