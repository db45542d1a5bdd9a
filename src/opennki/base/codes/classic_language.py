"""A pure table: NKI1120 to NKI1149: launches and functions of the first generation."""

from __future__ import annotations

from opennki.base.diag import code, warning_code

NKI1120 = code(
    "NKI1120",
    "programs of a grid that make different outputs",
    "tensor {number} in HBM of program {ids} is {mine}; that of program {first} is {theirs}",
    hint="make tensors in HBM before anything that depends on nl.program_id, alike in all programs",
    why="All programs of a launch write their parts of the same outputs, so each makes the same "
    "tensors in HBM in the same order. Source: NKI 0.1 programming guide, SPMD. Model: they are "
    "matched by their order.",
    wrong="out = nl.ndarray((nl.program_id(0) + 1, 512), dtype=x.dtype, buffer=nl.shared_hbm)",
    right="out = nl.ndarray((4, 512), dtype=x.dtype, buffer=nl.shared_hbm)",
)

NKI1121 = code(
    "NKI1121",
    "programs of a grid that return different results",
    "program {ids} of the grid returns {mine}; the first program returns {theirs}",
    hint="return the same tensors in every program",
    why="A launch has one result, whatever its grid. Source: NKI 0.1 programming guide, SPMD.",
    wrong="if nl.program_id(0) == 0:\n    return out",
    right="return out",
)

NKI1122 = code(
    "NKI1122",
    "filled tensor in HBM",
    "nl.{fn} makes tiles on chip; it was asked for one in {space}",
    hint="make it with nl.ndarray, and store a filled tile to it",
    why="Engines fill tiles; HBM is written by transfers, which the author writes. Source: NKI 0.1 "
    "error guide, hbm_tensor_with_init_value_not_supported.",
    wrong="out = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)",
    right="out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)\n"
    "nl.store(out, value=0.0)",
)

NKI1123 = code(
    "NKI1123",
    "filled tensor that the author places",
    "nl.{fn} fills what it makes; a tensor in {space} that the author places is made unfilled",
    hint="make it with nl.ndarray, and fill it with nisa.memset",
    why="Where tensors share memory, when one is filled decides what another holds, so the author "
    "writes it. Source: NKI 0.1 error guide, "
    "tensor_creation_on_scratchpad_with_init_value_not_supported.",
    wrong="t = nl.zeros((nl.par_dim(128), 64), dtype=nl.float32,\n"
    "             buffer=nki.compiler.sbuf.mod_alloc(base_addr=0))",
    right="t = nl.ndarray((nl.par_dim(128), 64), dtype=nl.float32,\n"
    "               buffer=nki.compiler.sbuf.mod_alloc(base_addr=0))\n"
    "t[...] = nisa.memset((128, 64), 0, nl.float32)",
)

NKI1124 = code(
    "NKI1124",
    "block that an allocator cannot place",
    "block {block}: {got}, and it takes {want}",
    hint="return the start partition and the byte in it, for PSUM the bank before them",
    why="Every block of a tensor needs a place of its own choice. Source: NKI 0.1 programming "
    "guide, direct allocation.",
    wrong="nki.compiler.sbuf.alloc(lambda idx, par, free: 1024)",
    right="nki.compiler.sbuf.alloc(lambda idx, par, free: (0, 1024))",
)

NKI1125 = code(
    "NKI1125",
    "tile as an index",
    "this place cannot be found at run time: {why}",
    hint="index rows of HBM by a (P, 1) tile, x[idx[i_p, 0], i_f], and other dimensions by "
    "expressions that do not vary along the partitions",
    why="A transfer adds one run-time index per partition, or one for the whole of it, to the "
    "addresses that it counts. Source: NKI 0.1 error guide, indirect_indices_free_dim.",
    wrong="nl.load(x[idx[i_p, i_f], i_f])",
    right="nl.load(x[idx[i_p, 0], i_f])",
)

NKI1126 = code(
    "NKI1126",
    "function of the first generation that has no equal",
    "{name} has no equal here",
    hint="{instead}",
    why="It told the first compiler about code that it generated itself. Model: nothing of the "
    "present instructions does what it does.",
    wrong="for i in nl.affine_range(1, 9):\n"
    "    total[...] = nl.loop_reduce(x, op=nl.add, loop_indices=[i])",
    right="for i in nl.affine_range(8):\n"
    "    total[...] = nl.loop_reduce(x, op=nl.add, loop_indices=[i])",
)

NKI1127 = warning_code(
    "NKI1127",
    "file that only a device gives",
    "{option}={got!r} of `{kernel}` is not written: the kernel was simulated",
    hint="leave {option} out where there is no device",
    why="The file holds code for a device, or what a device recorded while it ran it. Neither "
    "exists where a kernel is simulated. Source: NKI 0.1 API reference, nki.benchmark and "
    "nki.profile.",
    wrong='timed = nki.benchmark(save_neff_name="file.neff")(kernel)',
    right="timed = nki.benchmark(warmup=2, iters=10)(kernel)",
)

NKI1128 = warning_code(
    "NKI1128",
    "time of the simulator",
    "the latency of `{kernel}` is the time that the simulator took, not that of a device",
    hint="compare results here, and times on a device",
    why="A simulator computes values in Python; how long that takes says nothing about a device. "
    "Source: NKI 0.1 API reference, nki.benchmark, which measured on hardware.",
    wrong="kernel.benchmark_result.nc_latency.get_latency_percentile(99)",
    right="kernel(x)",
)
