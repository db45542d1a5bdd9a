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
    "{need} bytes per partition of {space} are in use at this line; {target} has {capacity}",
    hint="live here: {lineup}; use smaller tiles, or write intermediate tiles to HBM",
    why="A tensor occupies its memory from the first write to the last use. The sum over all "
    "tensors that are live at one time must fit. Nothing is moved to HBM behind the kernel's back.",
    wrong="tiles = [load(x[i]) for i in range(1000)]\nfor t in tiles:\n    store(t)",
    right="for i in range(1000):\n    store(load(x[i]))",
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
    wrong="a = tile(64 * 1024)\nb = tile(64 * 1024)\nrelease(a)\nc = tile(96 * 1024)",
    right="b = tile(64 * 1024)\na = tile(64 * 1024)\nrelease(a)\nc = tile(96 * 1024)",
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
    "arguments, results and intermediates take {need} bytes of HBM; {target} has {capacity}",
    hint="the largest is `{largest}` with {bytes} bytes; split the work into several calls",
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
    hint="did you mean `{close}`?; give the instruction a name with name=",
    why="with_schedule takes pairs of names given by name=. Source: NKI language reference.",
    wrong="kernel.with_schedule([('load', 'sotre')])",
    right="kernel.with_schedule([('load', 'store')])",
)

NKI5102 = code(
    "NKI5102",
    "instructions that wait for each other",
    "these instructions wait for each other: {names}",
    hint="remove one of the edges between {names}",
    why="Edges from with_schedule are added to those that the data require. In a cycle no "
    "instruction can be first.",
    wrong="kernel.with_schedule([('a', 'b'), ('b', 'a')])",
    right="kernel.with_schedule([('a', 'b')])",
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
