# expect: NKI1028 at line 10
"""An operator that no function computes."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.bypass(nl.load(x))
    return x
