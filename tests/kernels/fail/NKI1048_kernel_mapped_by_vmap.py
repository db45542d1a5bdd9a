# expect: NKI1048 at line 19
"""A kernel under `jax.vmap`."""

import numpy as np
import pytest

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


def main():
    return pytest.importorskip("jax").vmap(kernel)(np.zeros((2, 128, 64), np.float32))


# says: kernel `kernel` is mapped by jax.vmap, which a kernel cannot be
# help: loop over the axis, or give the kernel the whole array
