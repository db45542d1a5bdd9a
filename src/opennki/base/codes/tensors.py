"""A pure table: NKI3xxx, creating tensors and looking at them through views and indices."""

from __future__ import annotations

from opennki.base.diag import code

# --- creation -------------------------------------------------------------------------------------

NKI3001 = code(
    "NKI3001",
    "bad shape",
    "{shape} is not a shape: {why}",
    hint="give a tuple of positive integers; use // when dividing sizes",
    why="Sizes are whole numbers of at least 1, known while tracing. All targets.",
    wrong="t = nl.ndarray((128, n / 2), dtype=nl.float32, buffer=nl.sbuf)",
    right="t = nl.ndarray((128, n // 2), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI3002 = code(
    "NKI3002",
    "too many partitions",
    "the first dimension is {got}; a tile on {target} has at most {limit} partitions",
    hint="loop over pieces of nl.tile_size.pmax rows, or move rows into the free dimension",
    why="The first dimension of a tile in SBUF or PSUM walks the partitions. There are 128 on all "
    "targets. Source: NKI programming guide, tiles.",
    wrong="t = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.sbuf)",
    right="t = nl.ndarray((128, 2, 64), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI3003 = code(
    "NKI3003",
    "tile larger than a partition",
    "the tile needs {got} bytes per partition; {space} of {target} has {limit}",
    hint="make the free dimensions smaller and loop, or use a narrower dtype",
    why="All free dimensions of a tile lie in one partition: 192 KiB of SBUF on gen2, 224 KiB on "
    "gen3, 256 KiB on gen4, and 16 KiB of PSUM. Source: NKI architecture guide, memories.",
    wrong="t = nl.ndarray((128, 100000), dtype=nl.float32, buffer=nl.sbuf)",
    right="t = nl.ndarray((128, 2048), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI3004 = code(
    "NKI3004",
    "unsupported dtype",
    "{got} is not a dtype that tensors can have",
    hint="use a dtype of nl, for example nl.float32, nl.bfloat16 or nl.int32",
    why="Elements have 1, 2 or 4 bytes. 64-bit and complex types do not exist on any target. "
    "Source: NKI language guide, supported data types.",
    wrong="t = nl.ndarray((128, 64), dtype='float64', buffer=nl.sbuf)",
    right="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI3005 = code(
    "NKI3005",
    "unsupported buffer",
    "{got} is not a memory that a tensor can be created in",
    hint="use nl.sbuf, nl.psum, nl.private_hbm or nl.shared_hbm",
    why="The buffer decides which engines can reach the tensor. Strings and numbers are refused "
    "since 0.3. Source: NKI release notes.",
    wrong="t = nl.ndarray((128, 64), dtype=nl.float32, buffer='hbm')",
    right="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)",
)

NKI3006 = code(
    "NKI3006",
    "tensor name used twice",
    "the name `{name}` is already taken by a tensor made at {other}",
    hint="leave name= out, or add the loop index: name=f'{name}_{{i}}'",
    why="Names identify tensors in every printed form and in the package, so two tensors of a "
    "kernel cannot share one. Unnamed tensors get a name of their own.",
    wrong="for i in range(2):\n"
    "    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, name='t')",
    right="for i in range(2):\n"
    "    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, name=f't_{i}')",
)

# --- indices --------------------------------------------------------------------------------------

NKI3010 = code(
    "NKI3010",
    "index out of range",
    "index {index} is out of range for dimension {dim} of size {size}",
    hint="indices of dimension {dim} count from 0 and are below {size}; {negative} ones count from "
    "the end",
    why="Addresses beyond a tensor belong to other tensors. With a symbolic loop index the largest "
    "value counts. All targets.",
    wrong="row = x[128]  # x is (128, 64)",
    right="row = x[127]",
)

NKI3011 = code(
    "NKI3011",
    "slice out of range",
    "slice {start}:{stop} is out of range for dimension {dim} of size {size}",
    hint="end the slice at {size}: min({over}, {size}); bounds from 0 to {below} count from the "
    "start; negative ones count back from {back}",
    why="Python shortens such slices silently; here the sizes of an instruction are part of its "
    "meaning, so nothing is shortened. All targets. Source: NKI language guide, indexing.",
    wrong="tile = x[0:256]  # x is (128, 64)",
    right="tile = x[0:128]",
)

NKI3012 = code(
    "NKI3012",
    "slice step",
    "slice step {step} is not a positive integer",
    hint="use a step of 1 or more; for reversed order use .ap() with a negative stride",
    why="Zero would never end, and a view that runs backwards is an access pattern of its own. "
    "Source: NKI language guide, indexing.",
    wrong="t = x[:, ::-1]",
    right="t = x[:, ::2]",
)

NKI3013 = code(
    "NKI3013",
    "too many indices",
    "{got} indices for a tensor with {ndim} dimensions",
    hint="give at most {ndim} indices",
    why="Each index consumes one dimension; `...` stands for as many as are left over.",
    wrong="t = x[0, 0, 0]  # x is (128, 64)",
    right="t = x[0, 0]",
)

NKI3014 = code(
    "NKI3014",
    "unsupported kind of index",
    "{got} cannot be an index",
    hint="use integers, slices, `...` and nl.ds(start, size); for run-time rows use .ap() with "
    "scalar_offset or vector_offset",
    why="Lists, boolean masks, None, floats and tensors would need a gather, which is an "
    "instruction of its own. Source: NKI language guide, indexing.",
    wrong="t = x[[0, 2, 4]]",
    right="t = x[0:5:2]",
)

NKI3015 = code(
    "NKI3015",
    "empty slice",
    "slice {start}:{stop} of dimension {dim} selects nothing",
    hint="let stop be larger than start, or skip the instruction when nothing is left",
    why="No instruction moves zero elements. The usual reason is a remainder of 0 after tiling.",
    wrong="tile = x[n : n]",
    right="if n < x.shape[0]:\n    tile = x[n : x.shape[0]]",
)

NKI3016 = code(
    "NKI3016",
    "more than one `...` in an index",
    "`...` appears {got} times in one index",
    hint="keep one of them and write `:` for the others",
    why="`...` stands for all dimensions that are left over, which is only defined once.",
    wrong="t = x[..., 0, ...]",
    right="t = x[..., 0, :]",
)

# --- views ----------------------------------------------------------------------------------------

NKI3020 = code(
    "NKI3020",
    "reshape changes the number of elements",
    "a tensor of {want} elements cannot be reshaped to {got}",
    hint="choose sizes whose product is {want}",
    why="A reshape looks at the same storage in another way and can neither add nor drop elements.",
    wrong="y = x.reshape((128, 100))  # x is (128, 64)",
    right="y = x.reshape((128, 8, 8))",
)

NKI3021 = code(
    "NKI3021",
    "view that touches the partition dimension",
    "{method} would change the partition dimension of a tile",
    hint="leave dimension 0 as it is; use nisa.nc_transpose, nisa.dma_transpose or nisa.dma_copy "
    "to move data across partitions",
    why="Partitions are separate memories. Merging, splitting or exchanging dimension 0 with a "
    "free dimension moves data, which a view never does. HBM tensors have no such restriction. "
    "Source: NKI language guide, views.",
    wrong="t = tile.permute((1, 0))",
    right="nisa.nc_transpose(dst=t, data=tile)",
)

NKI3022 = code(
    "NKI3022",
    "layout that cannot be viewed",
    "{method} cannot make this view: {why}",
    hint="{copy} into a fresh tensor first, or reshape before slicing",
    why="A view has one step per dimension. When two dimensions are not contiguous, no single step "
    "walks both of them.",
    wrong="t = x[:, 0:32].reshape((128 * 32,))  # x is (128, 64) in HBM",
    right="t = x.reshape((128 * 64,))",
)

NKI3023 = code(
    "NKI3023",
    "not a permutation",
    "{dims} is not an order of {ndim} dimensions",
    hint="name each dimension exactly once, counted from 0 and below {ndim}",
    why="permute takes the old position of each new dimension. Source: NKI language reference.",
    wrong="t = x.permute((0, 1, 1))",
    right="t = x.permute((0, 2, 1))",
)

NKI3024 = code(
    "NKI3024",
    "broadcast of a dimension that is not 1",
    "dimension {dim} has size {size}; only a dimension of size 1 can be broadcast",
    hint="slice or expand to size 1 first: x[:, 0:1] or x.expand_dim({dim})",
    why="A broadcast repeats one element by stepping 0. A larger dimension has no single element "
    "to repeat.",
    wrong="t = x.broadcast(dim=1, size=64)  # x is (128, 4)",
    right="t = x[:, 0:1].broadcast(dim=1, size=64)",
)

NKI3025 = code(
    "NKI3025",
    "dimension out of range",
    "{method} has no dimension {dim} in a tensor with {ndim}",
    hint="dimensions count from 0 and are below {ndim}",
    why="Dimensions count from the outermost one, which is the partition dimension on chip.",
    wrong="t = x.select(dim=2, index=0)  # x is (128, 64)",
    right="t = x.select(dim=1, index=0)",
)

NKI3026 = code(
    "NKI3026",
    "last dimension cannot be reinterpreted",
    "the last dimension has {size} elements, which is not a multiple of {ratio}",
    hint="slice the last dimension to a multiple of {ratio} first",
    why="view(dtype) keeps the bytes. When the new elements are wider, a whole number of old ones "
    "makes each new one, and they must lie next to each other.",
    wrong="t = x[:, 0:3].view(nl.float32)  # x is bfloat16",
    right="t = x[:, 0:4].view(nl.float32)",
)

NKI3027 = code(
    "NKI3027",
    "bad rearrange pattern",
    "this rearrange pattern does not fit: {why}",
    hint="write every name of the left side once on the right side, and give sizes that cannot be "
    "derived",
    why="The pattern must name each dimension, and groups in brackets must multiply to the size of "
    "their dimension. Source: NKI language reference, rearrange.",
    wrong="t = x.rearrange('p (a b) -> p b', a=8)",
    right="t = x.rearrange('p (a b) -> p b a', a=8)",
)

NKI3028 = code(
    "NKI3028",
    "bad access pattern",
    "this access pattern is not usable: {why}",
    hint="write pairs [stride, count] in elements, outermost first, with positive counts; "
    "put a pair {lead} before it, which selects the same elements",
    why="On chip the first pair walks the partitions, and its stride is the number of elements "
    "that the tensor has per partition. Steps are signed 16-bit and counts unsigned 16-bit in the "
    "instruction. Source: NKI language reference, ap.",
    wrong="t = tile.ap([[1, 128], [1, 64]])  # tile is (128, 64)",
    right="t = tile.ap([[64, 128], [1, 64]])",
)

NKI3029 = code(
    "NKI3029",
    "access pattern outside of its storage",
    "the access pattern reaches element {last}; the storage has the elements 0 to {end}",
    hint="reduce counts or offset so that the last element is at most {end}; "
    "on chip the pairs after the first walk one partition, which has {row} elements",
    why="offset + sum of stride * (count - 1) is the last element that the pattern touches. The "
    "storage is the whole tensor, whatever view .ap() was called on.",
    wrong="t = x.ap([[64, 128], [1, 64]], offset=64)  # x is (128, 64)",
    right="t = x.ap([[64, 127], [1, 64]], offset=64)",
)

NKI3031 = code(
    "NKI3031",
    "unknown attribute of a tensor",
    "tensors have no attribute `{name}`",
    hint="did you mean `{close}`?; NumPy and torch methods do not exist on tensors inside a kernel",
    why="Inside a kernel a tensor has a shape, a dtype, a buffer and views. Computation is done by "
    "instructions of nisa or functions of nl.",
    wrong="s = x.sum()",
    right="nisa.tensor_reduce(dst=s, op=nl.add, data=x, axis=1)",
)

NKI3009 = code(
    "NKI3009",
    "address of a tensor",
    "address {got} is not a place for a tensor in {space}",
    hint="give address=(partition, byte offset in the partition) for nl.sbuf and nl.psum tensors; "
    "there are not {why}",
    why="Only on-chip tensors can be placed by the author; the first number is the partition, 0 to "
    "127, the second the byte offset inside every partition. Source: NKI language reference, "
    "ndarray.",
    wrong="t = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=4096)",
    right="t = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, 4096))",
)

NKI3032 = code(
    "NKI3032",
    "shape that a tile cannot be broadcast to",
    "a tile of shape {shape} cannot be broadcast to {want}: {why}",
    hint="give both shapes the same number of dimensions; only dimensions of size 1 are repeated",
    why="nl.broadcast_to repeats dimensions of size 1, the partition dimension included, and keeps "
    "all others. It adds no dimensions. Source: NKI language reference, broadcast_to.",
    wrong="t = nl.broadcast_to(x, (128, 64))  # x is (64, 64)",
    right="t = nl.broadcast_to(x[0:1], (128, 64))",
)

NKI3033 = code(
    "NKI3033",
    "run-time index that cannot be used",
    "this run-time index is not usable: {why}",
    hint="pass a register (nisa.register_alloc), or an integer tile in sbuf: (1, 1) for "
    "scalar_offset and select, (rows, 1) for vector_offset and vector_select",
    why="A view has at most one run-time index. A scalar is added to the address of the whole view "
    "and cannot choose partitions of a tile; a vector selects rows of a tensor in HBM, one for "
    "every element of the first dimension. Source: NKI access pattern guide.",
    wrong="x.vector_select(0, rows)  # rows is float32",
    right="x.vector_select(0, rows)  # rows is an int32 tile of shape (64, 1)",
)
