# expect: NKI1097 at line 16
"""A mutable parameter that is written and not returned."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt


@nki.jit
def kernel(x: nt.mutable_tensor):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    nl.store(x, nl.load(out))
    return out


def main():
    kernel(np.zeros((128, 64), np.float32))


# says: the kernel writes its parameter `x` and does not return it
# help: return it as well: return ..., x
