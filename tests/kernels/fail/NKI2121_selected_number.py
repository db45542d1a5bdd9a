# expect: NKI2121 at line 12
# target: trn2
"""A number where the tile to select from belongs."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    some = nl.full(t.shape, 1, nl.uint8)
    nisa.select_reduce(dst=t, predicate=some, on_true=1.0, on_false=0.0)
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: operand `on_true` of select_reduce does not take 1.0
# help: pass the kind of value `on_true` is documented with: a tile, a number, or either
