# expect: NKI1008 at line 10
"""A string in place of a memory."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer="sbuf")


# says: `buffer` of `nl.ndarray` must be a memory such as nl.sbuf, and is 'sbuf'
# help: write the member, for example nl.sbuf, nisa.engine.vector or nisa.oob_mode.skip
