# expect: NKI1049 at line 12
"""A result of a dtype that torch does not have."""

import pytest

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


def main():
    return kernel(pytest.importorskip("torch").zeros(128, 64))


# says: result `out` is float8_e4m3, which torch does not have
# help: return nl.float8_e4m3fn; or return the bytes, out.view(nl.uint8); or pass NumPy arrays
