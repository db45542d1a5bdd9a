# expect: NKI2124 at line 11
"""A place in the array is a row and a column."""

import nki.isa as nisa
import nki.language as nl


def kernel(x):
    t = nl.load(x)
    sums = nl.ndarray((64, 64), nl.float32, nl.psum)
    nisa.nc_matmul(sums, t, t, tile_position=(0,), tile_size=(128, 128))
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


# says: `tile_position` of nc_matmul is (0,); allowed: (row, column)
# help: give `tile_position` what is allowed
