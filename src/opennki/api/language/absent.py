"""Names that `nki.language` has in other versions, or will have here."""

from __future__ import annotations

from typing import Final

LATER: Final = ("dynamic_range", "fori_loop", "while_loop")
"""Names of the language that need instructions which do not exist here yet."""

REMOVED: Final = {
    "arange": "select elements with slices, as in x[0:128, 0:64]",
    "mgrid": "select elements with slices, as in x[0:128, 0:64]",
    "par_dim": "write the partition dimension first, nl.ndarray((128, 4, 64), ...)",
    "static_cast": "copy into a tensor of the other dtype with nisa.tensor_copy",
    "loop_reduce": "accumulate with nc_matmul or nisa.tensor_tensor into a tile made before the "
    "loop",
    "nc": "give the number of cores in the launch grid, kernel[2]",
    "spmd_dim": "give the number of cores in the launch grid, kernel[2]",
    "fp32": "write the number, for example float(np.finfo(np.float32).min)",
    "constants": "write the number",
    "atomic_rmw": "read, combine with nisa.tensor_tensor, and write back",
    "scalar": "use a Python number, or a (1, 1) tile",
}
"""Names of the 0.1 language, and what to write instead."""
