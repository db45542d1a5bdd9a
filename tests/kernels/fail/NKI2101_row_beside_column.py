# expect: NKI2101 at line 10
"""NumPy's broadcasting of a column and a row."""

import nki
import nki.language as nl


@nki.jit
def kernel(x):
    nl.subtract(nl.load(x[:, 0:1]), nl.load(x[0:1]))
    return x


# says: operand `x` has 128 partitions and `y` has 1; nl.subtract needs the same number
# help: slice both to the same partitions; to combine data across partitions (a contraction) use
#   nisa.nc_matmul; to repeat one partition use nl.broadcast_to
