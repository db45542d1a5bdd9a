"""A pure table: NKI5xxx, memory and order. Addresses, capacity, banks, dependencies."""

from __future__ import annotations

from opennki.base.diag import code, warning_code

# --- addresses and capacity -----------------------------------------------------------------------

NKI5001 = code(
    "NKI5001",
    "address above the capacity",
    "`{name}` is placed at {address} and needs {bytes} bytes; "
    "{space} of {target} has {capacity} per partition",
    hint="place `{name}` so that address + {bytes} is at most {capacity}, or leave address= out",
    why="Addresses are byte offsets in each partition. SBUF has 192 KiB per partition on gen2, 224 "
    "KiB on gen3 and 256 KiB on gen4; PSUM has 16 KiB. Source: NKI architecture guide.",
    wrong="t = nl.ndarray((128, 1000), dtype=nl.float32, buffer=nl.sbuf, address=(0, 400000))",
    right="t = nl.ndarray((128, 1000), dtype=nl.float32, buffer=nl.sbuf, address=(0, 100000))",
)

NKI5002 = code(
    "NKI5002",
    "more is live than fits",
    "{need} per partition of {space} are in use from this line on; {target} has {capacity}",
    hint="use smaller tiles, or write tiles to {spill} with nisa.dma_copy until they are needed; "
    "copy results to SBUF with nisa.tensor_copy and use their banks again: a PSUM tensor takes "
    "whole banks of {bank}, however small it is",
    why="A tensor occupies its memory from the first write to the last use. The sum over all "
    "tensors that are live at one time must fit; the notes name the largest and the lines that "
    "made them. In PSUM every tensor takes whole banks. Nothing is moved to another memory behind "
    "the kernel's back.",
    wrong="tiles = [nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf) for _ in range(99)]\n"
    "for i in range(99):\n    nisa.dma_copy(dst=tiles[i], src=x[i])\n"
    "for i in range(99):\n    nisa.dma_copy(dst=y[i], src=tiles[i])",
    right="for i in range(99):\n"
    "    tile = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)\n"
    "    nisa.dma_copy(dst=tile, src=x[i])\n    nisa.dma_copy(dst=y[i], src=tile)",
)

NKI5003 = code(
    "NKI5003",
    "PSUM address inside of a bank",
    "`{name}` is placed at {address}, which is not the start of a PSUM bank of {bank} bytes",
    hint="use a multiple of {bank}",
    why="Matmuls accumulate into whole banks, 8 banks of 2 KiB per partition on all targets. "
    "Source: NKI architecture guide, PSUM.",
    wrong="acc = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum, address=(0, 1024))",
    right="acc = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum, address=(0, 2048))",
)

NKI5004 = warning_code(
    "NKI5004",
    "addresses overlap",
    "`{first}` and `{second}` share bytes while both are in use",
    hint="move one of them, or end the use of `{first}` before `{second}` is written",
    why="Addresses that the kernel chooses are taken as they are. Writing one of the two tensors "
    "changes the other. That can be intended, hence a warning.",
    wrong="a = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))\n"
    "b = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 128))",
    right="a = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))\n"
    "b = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 256))",
)

NKI5005 = code(
    "NKI5005",
    "tile that does not fit a PSUM bank",
    "`{name}` has {bytes} bytes per partition; a PSUM bank has {bank}",
    hint="split the free dimension so that each tile has at most {bank} bytes per partition",
    why="A bank holds 512 float32 per partition. gen2 and gen3 accumulate within one bank; several "
    "tiles may use several banks. Source: NKI architecture guide, PSUM.",
    wrong="acc = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)",
    right="acc = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum) for _ in range(2)]",
)

NKI5006 = code(
    "NKI5006",
    "no gap is large enough",
    "`{name}` needs {bytes} bytes in one piece; {free} bytes of {space} are free, "
    "the largest gap has {gap}",
    hint="allocate long-lived tensors first, use equal tile sizes, or choose addresses by hand",
    why="A tensor is contiguous in its partition. Tensors that die in another order than they were "
    "made leave gaps between those that live on.",
    wrong="a = nl.ndarray((128, 16384), dtype=nl.float32, buffer=nl.sbuf)  # until c is written\n"
    "b = nl.ndarray((128, 16384), dtype=nl.float32, buffer=nl.sbuf)  # to the end\n"
    "c = nl.ndarray((128, 24576), dtype=nl.float32, buffer=nl.sbuf)",
    right="b = nl.ndarray((128, 16384), dtype=nl.float32, buffer=nl.sbuf)  # to the end\n"
    "a = nl.ndarray((128, 16384), dtype=nl.float32, buffer=nl.sbuf)  # until c is written\n"
    "c = nl.ndarray((128, 24576), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI5007 = code(
    "NKI5007",
    "misaligned address",
    "`{name}` is placed at {address}, which is not a multiple of {align}",
    hint="round the address up to a multiple of {align}",
    why="Elements are read at multiples of their size, and memory in units of nl.tile_size's "
    "minimum alignment. Source: NKI architecture guide.",
    wrong="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 6))",
    right="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 8))",
)

NKI5008 = code(
    "NKI5008",
    "malformed address",
    "address {got} of `{name}` is not usable: {why}",
    hint="write address=(start partition, byte offset) with two integers that are not negative",
    why="On chip an address is a partition and a byte offset within each partition. Source: NKI "
    "language reference, ndarray.",
    wrong="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=-4)",
    right="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))",
)

NKI5009 = code(
    "NKI5009",
    "device memory exceeded",
    "arguments, results and intermediates take {need} of HBM; {target} has {capacity}",
    hint="the largest is `{largest}` with {bytes}; split the work into several calls",
    why="Every HBM tensor of a kernel exists at the same time. The capacity is the share of the "
    "device memory that the cores of one launch have. Source: architecture guides, device memory.",
    wrong="out = nl.ndarray((1 << 20, 1 << 20), dtype=nl.float32, buffer=nl.shared_hbm)",
    right="out = nl.ndarray((1 << 14, 1 << 14), dtype=nl.float32, buffer=nl.shared_hbm)",
)

# --- order ----------------------------------------------------------------------------------------

NKI5101 = code(
    "NKI5101",
    "ordering edge to an unknown instruction",
    "no instruction is named `{name}`",
    hint="did you mean `{close}`?; name an instruction of the same function",
    why="An instruction may say which others it must follow. Edges to nothing are mistakes.",
    wrong='{"name": "I-2", "dependencies": [["I-9", "Ordered"]]}',
    right='{"name": "I-2", "dependencies": [["I-1", "Ordered"]]}',
)

NKI5102 = code(
    "NKI5102",
    "instructions that wait for each other",
    "these instructions wait for each other: {names}",
    hint="remove one of the edges between {names}",
    why="A queue stops at a command until the semaphores that it waits for have their values. In "
    "a cycle no instruction can be first.",
    wrong="queue ACT {\n  I-1 wait [dve >= 1] -> act = 1\n}\n"
    "queue DVE {\n  I-2 wait [act >= 1] -> dve = 1\n}",
    right="queue ACT {\n  I-1 -> act = 1\n}\nqueue DVE {\n  I-2 wait [act >= 1] -> dve = 1\n}",
)

NKI5103 = code(
    "NKI5103",
    "instruction name used twice",
    "the instruction name `{name}` is used twice",
    hint="add the loop index to the name, or leave name= out",
    why="Ordering edges and profiles refer to instructions by name.",
    wrong="for i in range(2):\n    nisa.memset(dst=t[i], value=0.0, name='clear')",
    right="for i in range(2):\n    nisa.memset(dst=t[i], value=0.0, name=f'clear_{i}')",
)

NKI5104 = code(
    "NKI5104",
    "schedule of the wrong form",
    "with_schedule takes a list of pairs of instruction names, and got {got}",
    hint="write pairs (later, earlier) or (later, [earlier, ...]), with the names that the "
    "instructions have by name=",
    why="Each pair says that one instruction runs after another one, or after several. Source: "
    "NKI guide, scheduling APIs.",
    wrong='kernel.with_schedule({"plus1": "recip"})',
    right='kernel.with_schedule([("plus1", "recip")])',
)

NKI5105 = code(
    "NKI5105",
    "order that cannot be kept",
    "`{later}` cannot run after `{earlier}`: {why}",
    hint="remove one of the edges, or turn it round",
    why="An explicit edge chooses between orders that give the same values. It cannot contradict "
    "what instructions read of each other, other edges, or a no_reorder block.",
    wrong='nisa.reciprocal(dst=a, data=x, name="first")\n'
    'nisa.tensor_copy(dst=b, src=a, name="second")\n'
    'kernel.with_schedule([("first", "second")])',
    right='kernel.with_schedule([("second", "first")])',
)

NKI5106 = code(
    "NKI5106",
    "schedule on a nested kernel",
    "kernel `{fn}` has a schedule and is called from inside another kernel",
    hint="call with_schedule on the outermost kernel; it finds the instructions of `{fn}` by name",
    why="A schedule is a property of the program, and the outermost kernel is the program. Source: "
    "NKI guide, scheduling APIs.",
    wrong="inner = inner.with_schedule(edges)\n\n@nki.jit\ndef outer(x):\n    return inner(x)",
    right="@nki.jit\ndef outer(x):\n    return inner(x)\n\nouter = outer.with_schedule(edges)",
)

# --- banks ----------------------------------------------------------------------------------------

NKI5204 = code(
    "NKI5204",
    "matmul destination in more than one bank",
    "operand `{operand}` reaches from PSUM bank {first} to bank {last}; a matmul writes one bank",
    hint="split the matmul at the bank, every 512 float32",
    why="The accumulator of one matmul is a region of one bank on gen2 and gen3. gen4 may write "
    "all 8 banks from one instruction. Source: NKI architecture guide, PSUM.",
    wrong="nisa.nc_matmul(dst=acc[:, 256:768], stationary=w, moving=x[:, 0:512])",
    right="nisa.nc_matmul(dst=acc[:, 256:512], stationary=w, moving=x[:, 0:256])\n"
    "nisa.nc_matmul(dst=acc[:, 512:768], stationary=w, moving=x[:, 256:512])",
)
