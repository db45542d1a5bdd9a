# expect: NKI2710 at line 17
"""A launch on no ranks."""

import nki
import nki.language as nl
import opennki


@nki.jit
def copy(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


def main():
    return opennki.launch(copy, ranks=0)


# says: cannot launch on ranks=0, lnc=None: ranks is not a positive integer
# help: write opennki.launch(kernel, ranks=4, lnc=2)(...), with as many ranks as groups name
