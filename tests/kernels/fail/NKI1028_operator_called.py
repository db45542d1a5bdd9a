# expect: NKI1028 at line 10
"""An operator that no function computes."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.bypass(nl.load(x))
    return x


# says: nl.bypass names an operator and cannot be called
# help: pass it to an instruction: op0=nl.bypass
