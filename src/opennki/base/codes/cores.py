"""A pure table: NKI27xx, what the cores and ranks of a launch do together."""

from __future__ import annotations

from opennki.base.diag import code

NKI2701 = code(
    "NKI2701",
    "instruction for two cores on another number of them",
    "{inst} needs a launch on the two cores of a logical core; this one is on {cores}",
    hint="launch the kernel with kernel[2], or guard the call with nl.num_programs(0) == 2",
    why="The other core would have to take part, and there is none. Available with LNC=2 on gen3 "
    "and newer. Source: NKI ISA reference, core_barrier and sendrecv.",
    wrong="@nki.jit\ndef kernel(x):\n    nisa.core_barrier(data=x, cores=(0, 1))\n\nkernel(x)",
    right="@nki.jit\ndef kernel(x):\n    nisa.core_barrier(data=x, cores=(0, 1))\n\nkernel[2](x)",
)

NKI2702 = code(
    "NKI2702",
    "transfer of a core to itself",
    "`{name}` is {got} on core {core}, which is the core itself; the other core is {other}",
    hint="pass 1 - nl.program_id(0)",
    why="sendrecv exchanges tiles between the two cores of a logical core. Within a core, "
    "nisa.tensor_copy does it. Source: NKI ISA reference, sendrecv.",
    wrong="nisa.sendrecv(src=a, dst=b, send_to_rank=0, recv_from_rank=0, pipe_id=0)",
    right="other = 1 - nl.program_id(0)\n"
    "nisa.sendrecv(src=a, dst=b, send_to_rank=other, recv_from_rank=other, pipe_id=0)",
)

NKI2703 = code(
    "NKI2703",
    "too much data for GpSimd's DMA",
    "operand `{operand}` has {got} bytes per partition; gpsimd_dma moves at most {limit} of "
    "{dtype}",
    hint="split the tile, or leave dma_engine out",
    why="GpSimd's own DMA swaps small tiles: per partition at most 1024 bytes of 32-bit elements, "
    "512 of 16-bit and 256 of 8-bit ones. Source: NKI ISA reference, sendrecv.",
    wrong="nisa.sendrecv(src=a, dst=b, send_to_rank=o, recv_from_rank=o, pipe_id=0,\n"
    "              dma_engine=nisa.dma_engine.gpsimd_dma)  # a is float32[128, 512]",
    right="nisa.sendrecv(src=a[:, 0:256], dst=b[:, 0:256], send_to_rank=o, recv_from_rank=o,\n"
    "              pipe_id=0, dma_engine=nisa.dma_engine.gpsimd_dma)",
)

NKI2704 = code(
    "NKI2704",
    "collective between two kinds of memory",
    "operand `{operand}` of {inst} is in {got}, and `{other}` is in {want}",
    hint="copy one of them with nisa.dma_copy first, so that all are in HBM or all in SBUF",
    why="A collective works on tensors in HBM or on tiles in SBUF, never on both. Source: NKI "
    "collectives reference.",
    wrong="ncc.all_reduce(srcs=[tile], dsts=[out], replica_group=g, op=nl.add)",
    right="ncc.all_reduce(srcs=[tile], dsts=[result_tile], replica_group=g, op=nl.add)",
)

NKI2705 = code(
    "NKI2705",
    "collective with another number of tensors",
    "`{name}` of {fn} has {got} tensors; it takes {want}",
    hint="call {fn} once for each tensor, and give it as many destinations as sources",
    why="Several tensors can share one collective (coalescing) only in HBM, and not in any form of "
    "permute or in those of variable length. Source: NKI collectives reference.",
    wrong="ncc.all_reduce(srcs=[a, b], dsts=[c, d], replica_group=g, op=nl.add)  # in SBUF",
    right="ncc.all_reduce(srcs=[a], dsts=[c], replica_group=g, op=nl.add)\n"
    "ncc.all_reduce(srcs=[b], dsts=[d], replica_group=g, op=nl.add)",
)

NKI2706 = code(
    "NKI2706",
    "collective of a tile with other than two dimensions",
    "operand `{operand}` has {got} dimensions; in SBUF a collective takes tiles of 2",
    hint="reshape `{operand}` to (partitions, elements)",
    why="Collectives in SBUF work on tiles with a single free dimension. Source: NKI collectives "
    "reference, all_gather.",
    wrong="ncc.all_reduce(srcs=[a], dsts=[b], replica_group=g, op=nl.add)  # (128, 4, 16)",
    right="ncc.all_reduce(srcs=[a.reshape((128, 64))], dsts=[b], replica_group=g, op=nl.add)",
)

NKI2707 = code(
    "NKI2707",
    "ranks that do not fit the launch",
    "{groups} are no groups of the ranks of a launch: {why}",
    hint="let every rank be in exactly one group, and launch with opennki.launch(kernel, ranks=n)",
    why="Each rank of a launch takes part in a collective once, and one program runs on all of "
    "them, so groups have one size. Calling a kernel is a launch of rank 0 alone. Source: NKI "
    "collectives reference, ReplicaGroup.",
    wrong="ncc.all_reduce(srcs=[a], dsts=[b], op=nl.add,\n"
    "               replica_group=ncc.ReplicaGroup([[0, 1], [1, 2]]))",
    right="ncc.all_reduce(srcs=[a], dsts=[b], op=nl.add,\n"
    "               replica_group=ncc.ReplicaGroup([[0, 1], [2, 3]]))",
)

NKI2708 = code(
    "NKI2708",
    "channels of a ring that are not numbered from 0",
    "channel_ids of {fn} are {got}; {want}",
    hint="leave channel_ids out, or number the channels 0, 1, 2, ... and give tensors for each",
    why="Channels are consecutive numbers from 0, at most 4, with one source and one destination "
    "each. Source: NKI collectives reference, collective_permute_implicit.",
    wrong="ncc.collective_permute_implicit(srcs_by_channel=[[a]], dsts_by_channel=[[b]],\n"
    "                                replica_group=g, channel_ids=[1])",
    right="ncc.collective_permute_implicit(srcs_by_channel=[[a]], dsts_by_channel=[[b]],\n"
    "                                replica_group=g, channel_ids=[0])",
)

NKI2709 = code(
    "NKI2709",
    "collective of variable length that is not possible",
    "{inst} is not possible: {why}",
    hint="look at the groups of ranks, and at the table of counts, against what is supported",
    why="all_gather_v works within devices of 4 ranks. On gen4 all_to_all_v works between several "
    "whole devices. Source: NKI collectives reference, all_gather_v and all_to_all_v.",
    wrong="ncc.all_gather_v(srcs=[a], dsts=[b], metadata_tensor=m,\n"
    "                 replica_group=ncc.ReplicaGroup([[0, 1]]))",
    right="ncc.all_gather_v(srcs=[a], dsts=[b], metadata_tensor=m,\n"
    "                 replica_group=ncc.ReplicaGroup([[0, 1, 2, 3]]))",
)

NKI2710 = code(
    "NKI2710",
    "launch on ranks that is not possible",
    "cannot launch on ranks={ranks}, lnc={lnc}: {why}",
    hint="write opennki.launch(kernel, ranks=4, lnc=2)(...), with as many ranks as groups name",
    why="ranks is the number of logical cores that run the kernel, lnc the number of physical "
    "cores in each of them.",
    wrong="opennki.launch(kernel, ranks=0)(x)",
    right="opennki.launch(kernel, ranks=2)([x0, x1])",
)

NKI2711 = code(
    "NKI2711",
    "argument that is not one per rank",
    "argument `{name}` of a launch on {ranks} ranks {why}",
    hint="pass a list with one value per rank, all of one shape and dtype, or one array for all",
    why="A list or tuple that holds arrays has one item per rank. One program runs on all ranks, "
    "so their arrays look alike. What holds no array is the same for all.",
    wrong="opennki.launch(kernel, ranks=4)([x0, x1])",
    right="opennki.launch(kernel, ranks=4)([x0, x1, x2, x3])",
)
