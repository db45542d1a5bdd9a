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
