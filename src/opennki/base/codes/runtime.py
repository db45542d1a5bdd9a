"""A pure table: NKI6xxx, what is found while a kernel is simulated: traps and warnings."""

from __future__ import annotations

from opennki.base.diag import code, warning_code

NKI6001 = warning_code(
    "NKI6001",
    "read of memory that was never written",
    "{inst} reads `{operand}`: {count} element(s) of `{tensor}` were never written, "
    "the first at {element}",
    hint="write `{tensor}` first{how}; strict mode makes this an error",
    why="Fresh memory holds what the previous user left there. The simulator fills it with NaN or "
    "a marker so that the mistake shows, the device does not. All targets.",
    wrong="acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
    "nisa.tensor_tensor(dst=acc, data1=acc, data2=x, op=nl.add)",
    right="acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
    "nisa.memset(dst=acc, value=0.0)\n"
    "nisa.tensor_tensor(dst=acc, data1=acc, data2=x, op=nl.add)",
)

NKI6002 = code(
    "NKI6002",
    "read of memory that was never written (strict)",
    "{inst} reads `{operand}`: {count} element(s) of `{tensor}` were never written, "
    "the first at {element}",
    hint="write `{tensor}` first{how}",
    why="Same as NKI6001. Strict mode stops at the first such read.",
    wrong="acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
    "nisa.tensor_copy(dst=y, src=acc)",
    right="acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
    "nisa.memset(dst=acc, value=0.0)\n"
    "nisa.tensor_copy(dst=y, src=acc)",
)

NKI6003 = warning_code(
    "NKI6003",
    "value outside the range of an activation function",
    "{op} got {value}; its table is valid from {low} to {high}",
    hint="bring the input into the range first; for sin subtract multiples of 2 pi",
    why="The tables approximate a function on an interval and continue with the last polynomial "
    "outside of it: sin(9.0) is 27.65, not 0.41. sin, arctan, log, sqrt, rsqrt and reciprocal have "
    "such ranges. Source: NKI ISA reference, activation functions.",
    wrong="nisa.activation(dst=y, op=nl.sin, data=x)  # x up to 9.0",
    right="nisa.activation(dst=y, op=nl.sin, data=x_reduced)  # within -pi to pi",
)

NKI6004 = warning_code(
    "NKI6004",
    "accumulation onto PSUM that no matmul has started",
    "nc_matmul accumulates onto `{tensor}`, which no overwriting matmul has written",
    hint="pass accumulate=(k > 0) so that the first matmul overwrites, or leave accumulate out",
    why="The first matmul of a sum must overwrite. What accumulation adds to otherwise is "
    "undefined on every target. Source: NKI ISA reference, nc_matmul.",
    wrong="for k in range(4):\n"
    "    nisa.nc_matmul(dst=acc, stationary=w[k], moving=x[k], accumulate=True)",
    right="for k in range(4):\n"
    "    nisa.nc_matmul(dst=acc, stationary=w[k], moving=x[k], accumulate=k > 0)",
)

NKI6005 = warning_code(
    "NKI6005",
    "accumulation onto PSUM written by another instruction",
    "nc_matmul accumulates onto `{tensor}`, which was last written by an instruction "
    "that is not a matmul",
    hint="let the first matmul overwrite, and add the initial value with nisa.tensor_tensor",
    why="On gen2 and gen3 accumulation is only defined after a matmul has written the bank; memset "
    "and tensor_copy do not count. Source: NKI ISA reference, nc_matmul.",
    wrong="nisa.memset(dst=acc, value=0.0)\n"
    "nisa.nc_matmul(dst=acc, stationary=w, moving=x, accumulate=True)",
    right="nisa.nc_matmul(dst=acc, stationary=w, moving=x, accumulate=False)",
)

NKI6006 = code(
    "NKI6006",
    "deadlock",
    "nothing can run any more: {what}",
    hint="compare what each queue waits for with what the others signal, and in which order",
    why="Every queue waits for a semaphore that nothing will signal any more. On a device the "
    "kernel would hang until a timeout.",
    wrong="queue DVE {\n  I-2 wait [act >= 2] -> dve = 1\n}\nqueue ACT {\n  I-1 -> act = 1\n}",
    right="queue DVE {\n  I-2 wait [act >= 1] -> dve = 1\n}\nqueue ACT {\n  I-1 -> act = 1\n}",
)

NKI6007 = warning_code(
    "NKI6007",
    "accumulator registers used by two sums at once",
    "{inst} continues what is in the registers after {other}",
    hint="finish one sum (read it into reduce_res) before starting the next with reset_reduce",
    why="Instructions that reduce along the way share one accumulator register per lane of their "
    "engine: activation and activate2 on the Scalar engine; range_select, select_reduce, "
    "tensor_scalar_reduce, tensor_scalar_cumulative and exponential on the Vector engine, where "
    "even those with reduce_cmd idle may change them. Source: NKI ISA reference.",
    wrong="nisa.exponential(dst=a, src=x, reduce_cmd=nisa.reduce_cmd.reset_reduce)\n"
    "nisa.select_reduce(dst=b, predicate=p, on_true=x, on_false=0.0)\n"
    "nisa.exponential(dst=a, src=z, reduce_cmd=nisa.reduce_cmd.reduce, reduce_res=s)",
    right="nisa.select_reduce(dst=b, predicate=p, on_true=x, on_false=0.0)\n"
    "nisa.exponential(dst=a, src=x, reduce_cmd=nisa.reduce_cmd.reset_reduce)\n"
    "nisa.exponential(dst=a, src=z, reduce_cmd=nisa.reduce_cmd.reduce, reduce_res=s)",
)

NKI6015 = warning_code(
    "NKI6015",
    "read of a tensor that nothing has written yet",
    "{inst} reads `{operand}`: no instruction before it writes any of `{tensor}`",
    hint="write `{tensor}` first, with nisa.dma_copy, nisa.memset or another instruction",
    why="Found by reading the traced instructions in program order, without running them. Fresh "
    "memory holds what its previous user left there. A tensor that is written in part only shows "
    "when the kernel runs (NKI6001). All targets.",
    wrong="acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
    "nisa.tensor_tensor(dst=acc, data1=acc, data2=x, op=nl.add)",
    right="acc = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
    "nisa.memset(dst=acc, value=0.0)\n"
    "nisa.tensor_tensor(dst=acc, data1=acc, data2=x, op=nl.add)",
)

NKI6008 = warning_code(
    "NKI6008",
    "programs of a launch depend on each other's order",
    "{inst} {does} {count} element(s) of `{tensor}` that another program of the launch {did}, "
    "the first at {element}",
    hint="let every program read and write a part of its own, or put "
    "nisa.core_barrier(data={tensor}, cores=(0, 1)) between the two uses",
    why="Programs of a launch run at the same time on different cores, in no order but that of "
    "core_barrier, which orders uses of the data that it names. This result is one of many that "
    "the device may give. Writing what is there already is not counted.",
    wrong="nisa.dma_copy(dst=out, src=t)  # by every program",
    right="p = nl.program_id(0)\nnisa.dma_copy(dst=out[p * 128 : (p + 1) * 128], src=t)",
)

NKI6009 = warning_code(
    "NKI6009",
    "integers that float32 cannot hold",
    "{inst} computes in float32, which cannot hold {count} integer(s) of `{operand}`: {value} is "
    "read as {got}",
    hint="keep integers within 2^24, or use what does not convert: copies between equal dtypes, "
    "bitwise operators, and nisa.tensor_tensor to add, subtract or multiply int32 or uint32 tiles "
    "in SBUF",
    why="Engines convert operands to float32, which has 24 significant bits, unless both operands "
    "and the operator are for integers. Source: NKI ISA reference, tensor_tensor.",
    wrong="nisa.tensor_scalar(dst=i, data=i, op0=nl.add, operand0=1)  # i holds 2**24 + 1",
    right="nisa.tensor_tensor(dst=i, data1=i, data2=one, op=nl.add)  # one is an int32 tile",
)

NKI6010 = warning_code(
    "NKI6010",
    "integer results that float32 cannot hold",
    "{inst} computes in float32, which cannot hold {count} result(s) in `{operand}`: {value} "
    "becomes {got}",
    hint="keep results within 2^24, or use nisa.tensor_tensor, which adds, subtracts and "
    "multiplies exactly when all its tiles are int32 or uint32 and in SBUF",
    why="Engines compute in float32, which has 24 significant bits, also where every tile holds "
    "integers. Found by doing the same in float64. Source: NKI ISA reference, tensor_tensor.",
    wrong="nisa.tensor_scalar(dst=i, data=i, op0=nl.multiply, operand0=4097)  # i holds 4097",
    right="nisa.tensor_tensor(dst=i, data1=i, data2=j, op=nl.multiply)  # j is an int32 tile",
)

NKI6011 = warning_code(
    "NKI6011",
    "segment id that is none",
    "{inst} reads {count} id(s) in `{operand}` that are negative or no whole numbers: element "
    "{index} is {value}",
    hint="number segments from 1, and use 0 for padding",
    why="Ids say where segments are and which elements are padding; what others do on a device is "
    "not documented. Here equal neighbours are one segment. Source: NKI ISA reference, "
    "sequence_bounds.",
    wrong="nisa.sequence_bounds(dst=b, segment_ids=ids)  # ids has -1 for padding",
    right="nisa.sequence_bounds(dst=b, segment_ids=ids)  # ids has 0 for padding",
)

NKI6018 = warning_code(
    "NKI6018",
    "parameter of random numbers out of range",
    "{inst} reads {count} value(s) of `{operand}` that are {what}: partition {partition} has "
    "{value}",
    hint="let probabilities be from 0 to 1, and let every `min` be less than its `max`",
    why="Numbers in the call are refused when they are out of range; those in a tile are known "
    "only while the kernel runs. dropout counts what is below 0 as 0 and what is above 1 as 1; "
    "rand2 computes min + (max - min) * u all the same. Source: NKI ISA reference, dropout and "
    "rand2.",
    wrong="nisa.dropout(dst=y, data=x, prob=p)  # p holds 20.0, in percent",
    right="nisa.dropout(dst=y, data=x, prob=p)  # p holds 0.2",
)

NKI6020 = code(
    "NKI6020",
    "run-time index out of range",
    "{inst} gets {index} as run-time index of `{tensor}`, where 0 to {last} are allowed{place}",
    hint="keep indices within the tensor, or pass oob_mode=nisa.oob_mode.skip to nisa.dma_copy, "
    "which leaves out what lies outside",
    why="The device checks addresses that it computes at run time and stops with an error. "
    "Indices that are -1 or read as large unsigned numbers count as outside, too. Source: NKI ISA "
    "reference, dma_copy.",
    wrong="nisa.dma_copy(dst=t, src=x.vector_select(0, rows))  # a row is 128, x has 128 rows",
    right="nisa.dma_copy(dst=t, src=x.vector_select(0, rows), oob_mode=nisa.oob_mode.skip)",
)

NKI6021 = code(
    "NKI6021",
    "index outside of what it chooses from",
    "{inst} reads {count} index(es) in `{operand}` that are no place in `{source}`: the first, "
    "element {element} of partition {partition}, is {index}, and the last place is {last}",
    hint="bring indices into 0 to {last} first, for instance with nisa.tensor_scalar and "
    "nl.minimum; look for 0xFFFFFFFF, with which searches say that they found nothing",
    why="An index chooses an element of its partition, all free dimensions counted as one. What a "
    "device does with one that is too large is undefined: it may read whatever lies there. All "
    "targets. Source: NKI ISA reference, local_gather and nc_n_gather.",
    wrong="nisa.nc_n_gather(dst=y, data=x[:, 0:64], indices=idx)  # idx holds 64",
    right="nisa.nc_n_gather(dst=y, data=x[:, 0:65], indices=idx)",
)

NKI6025 = code(
    "NKI6025",
    "cores that wait for each other for ever",
    "nothing can run any more: {what}",
    hint="let every core come to the same barriers and transfers in the same order, whatever "
    "branches it takes",
    why="A core_barrier is complete when both cores have come to one for the same data, a sendrecv "
    "when both have come to one with the same pipe_id. On a device the kernel would hang until a "
    "timeout. Source: NKI ISA reference, core_barrier and sendrecv.",
    wrong="if nl.program_id(0) == 0:\n    nisa.core_barrier(data=x, cores=(0, 1))",
    right="nisa.core_barrier(data=x, cores=(0, 1))  # on both cores",
)

NKI6022 = code(
    "NKI6022",
    "cores that send each other different tiles",
    "this core receives {want} and the other one sends {got}",
    hint="let both cores exchange tiles of one shape and dtype, or use another pipe_id",
    why="Each core receives as many bytes as its own tile has. Source: NKI ISA reference, "
    "sendrecv: the tiles have the same shape and dtype.",
    wrong="n = 4 if nl.program_id(0) == 0 else 8\n"
    "nisa.sendrecv(src=a[:, 0:n], dst=b[:, 0:n], send_to_rank=o, recv_from_rank=o, pipe_id=0)",
    right="nisa.sendrecv(src=a, dst=b, send_to_rank=o, recv_from_rank=o, pipe_id=0)",
)

NKI6023 = code(
    "NKI6023",
    "debugger that cannot wait for another core",
    "{inst} waits for the other core, which has not run yet",
    hint="run all cores while they are traced: nki.simulate(kernel[2], step=True)",
    why="A breakpoint() runs the instructions that this program has traced so far, while the other "
    "programs of the launch have not been traced. In step mode they run in turns. All targets.",
    wrong="nisa.core_barrier(data=x, cores=(0, 1))\nbreakpoint()\n\nkernel[2](x)",
    right="nisa.core_barrier(data=x, cores=(0, 1))\nbreakpoint()\n\n"
    "nki.simulate(kernel[2], step=True)(x)",
)

NKI6024 = warning_code(
    "NKI6024",
    "chunk of a collective that does not fit",
    "rank {sender} of the group sends {count} element(s) with {inst}, and `{where}` has {have} "
    "from where they begin",
    hint="keep send_count within `src` after send_displ, and within what the receiver has for it",
    why="Counts are read when the collective runs. What a device does with elements that are not "
    "there, or with those that have no room, is not documented; here they are left out. Source: "
    "NKI collectives reference, all_to_all_v.",
    wrong="counts[0] = [100, 100, 100, 100]  # dst has 16 elements per rank",
    right="counts[0] = [16, 16, 16, 16]",
)

NKI6026 = code(
    "NKI6026",
    "run-time loop of too many trips",
    "this run-time loop does not end: {what}; the simulator stops after {limit} trips",
    hint="{instead}",
    why="A while loop runs until its register is 0, and a counted one as often as its bounds say. "
    "The limit of trips is the simulator's; OPENNKI_MAX_TRIPS sets another one.",
    wrong="nl.while_loop(reg, lambda r: r)",
    right="def body(r):\n    nisa.register_load(r, flag)\n    return r\n\nnl.while_loop(reg, body)",
)

NKI6027 = warning_code(
    "NKI6027",
    "rows that were said to be unique",
    "{inst} changes row {row} of `{tensor}` {count} times, and keeps the last sum only",
    hint="make the indices unique, or add rows of one index before, or in calls of their own",
    why="dma_compute reads rows, adds and writes them back, and does not wait for a row that it is "
    "about to change twice: unique_indices=True, the only value there is, promises that there is "
    "none. All targets. Source: NKI ISA reference, dma_compute.",
    wrong="nisa.dma_compute(rows, [rows, t], nl.add)  # the indices of rows are 6, 6 and 3",
    right="nisa.dma_compute(rows, [rows, t], nl.add)  # the indices of rows are 6, 1 and 3",
)
