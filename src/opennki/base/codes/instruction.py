"""A pure table: NKI21xx, rules that hold for the operands and attributes of every instruction.

Rules of one family of instructions are in `families`.
"""

from __future__ import annotations

from opennki.base.diag import code, warning_code

# --- shapes ---------------------------------------------------------------------------------------

NKI2101 = code(
    "NKI2101",
    "partition sizes differ",
    "operand `{operand}` has {got} partitions and `{other}` has {want}; "
    "{inst} needs the same number",
    hint="slice both to the same partitions; to combine data across partitions (a contraction) use "
    "nisa.nc_matmul; to repeat one partition use nl.broadcast_to",
    why="Lane p of an engine reads partition p of each input and writes partition p of the output. "
    "There is no broadcast along partitions. All targets. Source: NKI ISA reference, layout.",
    wrong="nisa.tensor_tensor(dst=c, data1=a[0:128], data2=b[0:64], op=nl.add)",
    right="nisa.tensor_tensor(dst=c[0:64], data1=a[0:64], data2=b[0:64], op=nl.add)",
)

NKI2102 = code(
    "NKI2102",
    "elements per partition differ",
    "operand `{operand}` has {got} elements per partition and `{other}` has {want}; "
    "{inst} needs the same number",
    hint="slice or broadcast the view; nisa.tensor_scalar repeats a (P, 1) operand along the free "
    "dimension",
    why="The engine walks both access patterns element by element and they must end together. The "
    "shapes may differ as long as the products of their free dimensions agree. All targets. "
    "Source: NKI ISA reference, tile size.",
    wrong="nisa.tensor_tensor(dst=c, data1=a[:, 0:64], data2=b[:, 0:1], op=nl.add)",
    right="nisa.tensor_scalar(dst=c, data=a[:, 0:64], op0=nl.add, operand0=b[:, 0:1])",
)

NKI2103 = code(
    "NKI2103",
    "dimension differs between operands",
    "operand `{operand}` has {dim} = {got}, and `{other}` gives {dim} = {want}; "
    "{inst} needs them equal",
    hint="give both {dim} = {want}, or check which operand is transposed",
    why="The letter names one size that several operands share. In nc_matmul, `stationary` is "
    "(K, M), `moving` is (K, N) and `dst` is (M, N). All targets. Source: NKI ISA reference.",
    wrong="nisa.nc_matmul(dst=acc, stationary=w[0:128], moving=x[0:64])",
    right="nisa.nc_matmul(dst=acc, stationary=w[0:64], moving=x[0:64])",
)

NKI2104 = code(
    "NKI2104",
    "dimension above the limit",
    "operand `{operand}` has {dim} = {got}; {inst} takes at most {limit} on {target}",
    hint="split `{operand}` into pieces of at most {limit} along {dim}; nl.tile_size names the "
    "limits",
    why="Partitions are limited by the 128 lanes. The moving operand of nc_matmul is limited by a "
    "PSUM bank, 512 float32, on gen2 and gen3; gen4 writes up to 4096 float32. Source: NKI ISA "
    "reference, tile size.",
    wrong="nisa.nc_matmul(dst=acc, stationary=q, moving=k[:, 0:640])",
    right="nisa.nc_matmul(dst=acc0, stationary=q, moving=k[:, 0:320])\n"
    "nisa.nc_matmul(dst=acc1, stationary=q, moving=k[:, 320:640])",
)

NKI2107 = code(
    "NKI2107",
    "operand of a fixed size",
    "operand `{operand}` has shape {got}; {inst} needs {want}",
    hint="slice `{larger}` to {want}; make `{smaller}` a tile of {want}",
    why="Per-partition scalars are read once per lane, so such an operand holds exactly one value "
    "per partition; statistics have a fixed number of fields. All targets. Source: NKI ISA "
    "reference.",
    wrong="nisa.tensor_scalar(dst=c, data=a, op0=nl.add, operand0=b[:, 0:2])",
    right="nisa.tensor_scalar(dst=c, data=a, op0=nl.add, operand0=b[:, 0:1])",
)

NKI2109 = code(
    "NKI2109",
    "tile with too few dimensions",
    "operand `{operand}` has {rank} dimension(s); a tile in SBUF or PSUM has at least 2",
    hint="allocate (P, 1) rather than (P,), and keep dimensions when slicing: t[:, 0:1]",
    why="The first dimension walks partitions and the others walk the bytes in each partition. "
    "Every engine addresses both. All targets. Source: NKI programming guide, tiles.",
    wrong="b = nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)",
    right="b = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI2110 = code(
    "NKI2110",
    "view over too many dimensions",
    "operand `{operand}` walks {got} free dimensions; the hardware walks at most {limit}",
    hint="split the access, or copy into a contiguous tile first and use that",
    why="An access pattern in an instruction has a fixed number of (step, count) pairs. Adjacent "
    "dimensions that are contiguous count as one. Source: NKI architecture guide, access patterns.",
    wrong="nisa.tensor_copy(dst=flat, src=t.permute((0, 5, 4, 3, 2, 1)))",
    right="for i in range(t.shape[1]):\n"
    "    nisa.tensor_copy(dst=flat[:, i], src=t.select(dim=1, index=i).permute((0, 4, 3, 2, 1)))",
)

NKI2128 = code(
    "NKI2128",
    "step or count too large for an access pattern",
    "operand `{operand}` has a {what} of {got} in dimension {dim}; an instruction holds at most "
    "{limit}",
    hint="split the access, or copy it with nisa.dma_copy",
    why="Free dimensions are encoded with a signed 16-bit step and an unsigned 16-bit count, both "
    "in elements. DMA descriptors are wider. All targets. Source: NKI architecture guide, access "
    "patterns.",
    wrong="nisa.memset(dst=t, value=0)  # t is uint8 (128, 80000)",
    right="nisa.memset(dst=t[:, 0:40000], value=0)\nnisa.memset(dst=t[:, 40000:], value=0)",
)

NKI2129 = warning_code(
    "NKI2129",
    "destination written twice",
    "operand `{operand}` of {inst} names {size} elements, but only {distinct} different ones: "
    "steps {strides} over {shape} meet",
    hint="write to a tile of the full shape, or give `{operand}` the shape of what is kept",
    why="A view may repeat elements (a step of 0, or steps smaller than what they step over). "
    "Read, that is a broadcast; written, one of several values stays, and engines do not promise "
    "which one that is: here it is the last. Kernels do so where they need only what an "
    "instruction reduces on the way. All targets.",
    wrong="nisa.tensor_copy(dst=t[:, 0:1].broadcast(1, 64), src=x)",
    right="nisa.tensor_copy(dst=t, src=x)",
)

NKI2130 = code(
    "NKI2130",
    "vector of run-time indices outside of a DMA",
    "operand `{operand}` of {inst} selects its rows by a vector of run-time indices, which only a "
    "DMA can do",
    hint="gather into a tile first: nisa.dma_copy(dst=tile, src=...), or scatter from one",
    why="Descriptors for a gather or scatter are made by GpSimd as part of a transfer. An engine "
    "that computes takes one run-time offset for all partitions. Source: NKI access pattern guide.",
    wrong="nisa.activation(dst=t, op=nl.exp, data=x.vector_select(0, rows))",
    right="nisa.dma_copy(dst=t, src=x.vector_select(0, rows))\n"
    "nisa.activation(dst=t, op=nl.exp, data=t)",
)

NKI2131 = code(
    "NKI2131",
    "element-wise indices in a DMA",
    "operand `{operand}` of {inst} has a run-time index for every element, which only engines read",
    hint="copy it with nisa.tensor_copy first, or select whole rows with vector_select",
    why="An engine reads indices of elements together with the operand. Descriptors of a DMA know "
    "rows only. Source: NKI language reference, indirect.",
    wrong="nisa.dma_copy(dst=out, src=t.indirect(idx))",
    right="nisa.tensor_copy(dst=u, src=t.indirect(idx))\nnisa.dma_copy(dst=out, src=u)",
)

NKI2132 = code(
    "NKI2132",
    "more elements than indices",
    "`{operand}` selects {got} elements, and {group} partitions of its indices hold {room}",
    hint="pass num_elem of at most {room}, or indices with more columns",
    why="Groups of partitions share their indices: 32 partitions on the tensor engine, 16 on the "
    "others; index i is in row i % G and column i // G of its group. Source: NKI language "
    "reference, indirect.",
    wrong="nisa.tensor_copy(dst=u, src=t.indirect(idx, num_elem=64))  # idx is (128, 2)",
    right="nisa.tensor_copy(dst=u, src=t.indirect(idx, num_elem=32))",
)

NKI2133 = code(
    "NKI2133",
    "element-wise indices of an operand that has none",
    "operand `{operand}` of {inst} cannot have a run-time index for every element{why}",
    hint="gather into a tile, or scatter from one, with nisa.tensor_copy",
    why="Some operands of some instructions read their indices together with their elements, on "
    "gen4. Products read them in float16, bfloat16 and float8 only, not in tiles of the array, not "
    "in `moving` of a transpose, and of data in MX formats together with its scales. Source: NKI "
    "ISA reference, tensor indirection.",
    wrong="nisa.tensor_tensor(dst=u, data1=a, data2=t.indirect(idx), op=nl.add)",
    right="nisa.tensor_tensor(dst=u, data1=t.indirect(idx), data2=a, op=nl.add)",
)

NKI2134 = code(
    "NKI2134",
    "element-wise indices on other partitions",
    "the indices of `{operand}` begin at partition {at}, and {beside} asks for {want}",
    hint="place the indices at partition {want}",
    why="Engines read indices on the partitions of the data: of an input on its own, of a "
    "destination on those of the data that are written, or of their indices if they are in PSUM; "
    "and from a multiple of 32 on. Tiles without `address=` are not affected. Source: NKI ISA "
    "reference, tensor indirection.",
    wrong="rows = nl.ndarray((32, 2), nl.uint32, address=(32, 0))\n"
    "nisa.tensor_copy(dst=u, src=t.indirect(rows))  # t is placed at partition 0",
    right="rows = nl.ndarray((32, 2), nl.uint32, address=(0, 0))\n"
    "nisa.tensor_copy(dst=u, src=t.indirect(rows))",
)

NKI2126 = code(
    "NKI2126",
    "element counts differ",
    "`dst` has {dst} elements and `src` has {src}",
    hint="slice the larger side so that both have the same number of elements",
    why="A DMA moves elements one to one in the order of both access patterns. The shapes may "
    "differ, the counts may not. All targets. Source: NKI ISA reference, dma_copy.",
    wrong="nisa.dma_copy(dst=tile, src=x[0:256, 0:64])  # tile is (128, 64)",
    right="nisa.dma_copy(dst=tile, src=x[0:128, 0:64])",
)

NKI2127 = code(
    "NKI2127",
    "tiles of different shapes",
    "`{operand}` has shape {got} and `{other}` has shape {want}; {inst} needs one shape for both, "
    "or a (P, 1) tile beside a larger one",
    hint="repeat the smaller one first: nl.broadcast_to(tile, shape)",
    why="The functions of nki.language combine tiles element by element. One element per partition "
    "can be repeated along the free dimensions; partitions, and single free dimensions, are not "
    "repeated by themselves. Source: NKI language reference.",
    wrong="c = nl.add(a, b)  # a is (128, 8, 64), b is (128, 1, 64)",
    right="c = nl.add(a, nl.broadcast_to(b, (128, 8, 64)))",
)

# --- memories and layout --------------------------------------------------------------------------

NKI2105 = code(
    "NKI2105",
    "operand in the wrong memory",
    "operand `{operand}` is in {got}; {inst} {takes} {allowed}",
    hint="copy `{source}` first, with nisa.dma_copy between HBM and SBUF or nisa.tensor_copy "
    "between SBUF and PSUM; allocate `{target}` in {allowed} and copy the result from there",
    why="Compute engines are wired to SBUF and PSUM, the Tensor engine reads SBUF and writes PSUM, "
    "DMA moves between HBM and SBUF. All targets. Source: NKI architecture guide.",
    wrong="nisa.activation(dst=y, op=nl.exp, data=x)  # x is a kernel argument in HBM",
    right="nisa.dma_copy(dst=tile, src=x)\nnisa.activation(dst=y, op=nl.exp, data=tile)",
)

NKI2111 = code(
    "NKI2111",
    "partition stride",
    "operand `{operand}` steps {got} elements from partition to partition; "
    "on chip the step must be {want}",
    hint="take consecutive partitions; nisa.dma_copy can gather rows {got} elements apart from HBM",
    why="An engine reads neighbouring lanes, so the partition dimension of a view cannot skip, "
    "repeat or run backwards. All targets. Source: NKI architecture guide, access patterns.",
    wrong="nisa.tensor_copy(dst=a, src=b[0:128:2])",
    right="nisa.tensor_copy(dst=a, src=b[0:64])",
)

NKI2112 = code(
    "NKI2112",
    "start partition",
    "operand `{operand}` starts at partition {start} and spans {count}; "
    "{count} partitions may start at {allowed}",
    hint="place the data at partition {allowed}; a DMA may start at any partition",
    why="Engines address partitions in groups: up to 32 may start at 0, 32, 64 or 96, up to 64 at "
    "0 or 64, more only at 0. All targets. MX scales, of which 4 partitions lie in each quadrant, "
    "begin 0, 4, 8 or 12 partitions after their data. Source: NKI architecture guide; NKI guide on "
    "MXFP matrix multiplication.",
    wrong="nisa.tensor_copy(dst=a, src=b[16:48])",
    right="nisa.tensor_copy(dst=a, src=b[32:64])",
)

NKI2114 = code(
    "NKI2114",
    "GpSimd cannot access PSUM",
    "operand `{operand}` is in psum, and {inst} runs on the GpSimd engine",
    hint="copy `{operand}` to SBUF first; or use engine=nisa.engine.{other}",
    why="GpSimd has no port to PSUM on any target. Source: NKI architecture guide, engines.",
    wrong="nisa.tensor_copy(dst=a, src=acc, engine=nisa.engine.gpsimd)  # acc is in PSUM",
    right="nisa.tensor_copy(dst=a, src=acc, engine=nisa.engine.vector)",
)

NKI2115 = code(
    "NKI2115",
    "both inputs in PSUM",
    "`{first}` and `{second}` of {inst} are both in psum; at most one may be",
    hint="copy one of them to SBUF with nisa.tensor_copy",
    why="The Vector engine reads one of two streams through its PSUM port. All targets. Source: "
    "NKI ISA reference, memory types.",
    wrong="nisa.tensor_tensor(dst=c, data1=acc0, data2=acc1, op=nl.add)",
    right="nisa.tensor_copy(dst=a, src=acc0)\n"
    "nisa.tensor_tensor(dst=c, data1=a, data2=acc1, op=nl.add)",
)

# --- dtypes ---------------------------------------------------------------------------------------

NKI2106 = code(
    "NKI2106",
    "dtype not accepted",
    "operand `{operand}` is {got}; {inst} accepts {allowed} on {target}",
    hint="convert with nisa.tensor_copy into a tile of an accepted dtype",
    why="The dtype selects how the engine decodes elements, and each instruction has a fixed list. "
    "PSUM accumulates in float32; gen4 also writes bfloat16. Source: NKI ISA reference, data "
    "types.",
    wrong="acc = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.psum)\n"
    "nisa.nc_matmul(dst=acc, stationary=w, moving=x)",
    right="acc = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
    "nisa.nc_matmul(dst=acc, stationary=w, moving=x)",
)

NKI2116 = code(
    "NKI2116",
    "dtypes must agree",
    "`{first}` is {first_dtype} and `{second}` is {second_dtype}; {inst} needs one dtype for both",
    hint="allocate `{first}` as {second_dtype}, or convert one of them with nisa.tensor_copy",
    why="The instruction moves bits without converting them: transposes, predicated copies and "
    "shuffles. All targets. Source: NKI ISA reference, data types.",
    wrong="nisa.nc_transpose(dst=f32_tile, data=bf16_tile)",
    right="nisa.nc_transpose(dst=bf16_psum, data=bf16_tile)",
)

NKI2125 = warning_code(
    "NKI2125",
    "integers computed in float32",
    "operand `{operand}` is {dtype}, but this engine computes in float32",
    hint="values above 2**24 lose bits; to add, subtract or multiply exactly, leave out engine= "
    "and keep the operands in SBUF",
    why="float32 holds integers exactly up to 16 777 216. The Vector engine converts 32-bit "
    "integers to float32 for arithmetic; GpSimd does not, for add, subtract and multiply. All "
    "targets. Where a value was lost, the simulator says so (NKI6009, NKI6010). Source: NKI ISA "
    "reference, tensor_tensor.",
    wrong="nisa.tensor_tensor(dst=c, data1=i, data2=j, op=nl.add, engine=nisa.engine.vector)",
    right="nisa.tensor_tensor(dst=c, data1=i, data2=j, op=nl.add)  # GpSimd, exact",
)

# --- operators and attributes ---------------------------------------------------------------------

NKI2117 = code(
    "NKI2117",
    "operator not supported by the instruction",
    "{inst} has no operator {op}; it supports {allowed}",
    hint="choose another operator or another instruction; {instead} has {op}",
    why="Each instruction decodes its own set of operators. Activation functions and ALU operators "
    "are two different tables. Source: NKI ISA reference, operator tables.",
    wrong="nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.exp)",
    right="nisa.activation(dst=c, op=nl.exp, data=a)",
)

NKI2118 = code(
    "NKI2118",
    "operator not on this engine or target",
    "operator {op} does not exist on the {engine} engine of {target}",
    hint="choose another engine, or compile for a newer target",
    why="The engines have different ALUs, and newer targets add operators: abs_max and exponential "
    "need gen4; on GpSimd tensor_scalar knows rsqrt only. Source: NKI ISA reference, operator "
    "tables.",
    wrong="nisa.tensor_scalar(dst=c, data=a, op0=nl.abs_max, operand0=0.0)  # on gen2",
    right="nisa.activation(dst=c, op=nl.abs, data=a)",
)

NKI2119 = code(
    "NKI2119",
    "bit operator on floating point",
    "{op} works on bits; operand `{operand}` is {dtype} and must be an integer dtype",
    hint="use view(nl.uint32) or another integer dtype of the same size to work on the bits",
    why="Bit operators take elements as they are, without conversion. On a float they would "
    "mix sign, exponent and fraction, which is rarely meant, so it must be spelled out. All "
    "targets. Source: NKI ISA reference, operator tables.",
    wrong="nisa.tensor_scalar(dst=c, data=f32, op0=nl.bitwise_and, operand0=0xFF)",
    right="nisa.tensor_scalar(dst=c, data=f32.view(nl.uint32), op0=nl.bitwise_and, operand0=0xFF)",
)

NKI2120 = code(
    "NKI2120",
    "two operators of different kinds",
    "op0 is {op0} and op1 is {op1}; one works on bits and the other on numbers",
    hint="use two instructions",
    why="The ALU passes either bits or float32 from its first to its second stage. Both operators "
    "of one instruction must be of the same kind. All targets. Source: NKI ISA reference, "
    "tensor_scalar.",
    wrong="nisa.tensor_scalar(\n"
    "    dst=c, data=a, op0=nl.bitwise_and, operand0=7, op1=nl.add, operand1=1.0\n"
    ")",
    right="nisa.tensor_scalar(dst=b, data=a, op0=nl.bitwise_and, operand0=7)\n"
    "nisa.tensor_scalar(dst=c, data=b, op0=nl.add, operand0=1.0)",
)

NKI2121 = code(
    "NKI2121",
    "tile where a number belongs, or the other way round",
    "operand `{operand}` of {inst} does not take {got}",
    hint="pass the kind of value `{operand}` is documented with: a tile, a number, or either",
    why="A number is encoded into the instruction; a tile is read from memory. Most operands allow "
    "one of the two. Source: NKI ISA reference.",
    wrong="nisa.tensor_tensor(dst=c, data1=a, data2=2.0, op=nl.multiply)",
    right="nisa.tensor_scalar(dst=c, data=a, op0=nl.multiply, operand0=2.0)",
)

NKI2122 = code(
    "NKI2122",
    "operand that must be given",
    "operand `{operand}` must be given {when}",
    hint="pass `{operand}=`",
    why="The two settings only mean something together. All targets. Source: NKI ISA reference.",
    wrong="nisa.tensor_scalar(dst=c, data=a, op0=nl.add, operand0=1.0, op1=nl.multiply)",
    right="nisa.tensor_scalar(dst=c, data=a, op0=nl.add, operand0=1.0, op1=nl.multiply, "
    "operand1=2.0)",
)

NKI2123 = code(
    "NKI2123",
    "operand that must not be given",
    "operand `{operand}` must not be given {when}",
    hint="leave `{operand}` out",
    why="It would have no effect, and settings without effect are refused rather than ignored. All "
    "targets. Source: NKI ISA reference.",
    wrong="nisa.tensor_scalar_reduce(\n"
    "    dst=c, data=a, op0=nl.add, operand0=1.0, reduce_op=nl.add, reduce_res=s, reduce_init=0.0\n"
    ")",
    right="nisa.tensor_scalar_reduce(\n"
    "    dst=c, data=a, op0=nl.add, operand0=1.0, reduce_op=nl.add, reduce_res=s,\n"
    "    reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=0.0,\n"
    ")",
)

NKI2124 = code(
    "NKI2124",
    "attribute value out of range",
    "`{name}` of {inst} is {got}; allowed: {allowed}",
    hint="give `{name}` what is allowed",
    why="The value goes into a field of the instruction that cannot hold anything else. Source: "
    "NKI ISA reference.",
    wrong="nisa.dma_copy(dst=tile, src=x, priority=9)",
    right="nisa.dma_copy(dst=tile, src=x, priority=3)",
)

# --- engines and targets --------------------------------------------------------------------------

NKI2108 = code(
    "NKI2108",
    "not available on this target",
    "{what} needs {since} or newer; this kernel is compiled for {target}",
    hint="compile for {since}, or guard the call with nisa.get_nc_version()",
    why="Targets differ in their instructions and modes: sunda is gen2 (trn1, inf2), cayman is "
    "gen3 (trn2), corev4 is gen4 (trn3). Source: NKI ISA reference.",
    wrong="nisa.exponential(dst=y, src=x, max_value=0.0)  # target gen2",
    right="nisa.activation(dst=y, op=nl.exp, data=x)",
)

NKI2113 = code(
    "NKI2113",
    "engine not legal here",
    "{inst} cannot run on the {got} engine",
    hint="choose one of: {allowed}; {why}",
    why="An engine executes the instructions it has hardware for. GpSimd has no access to PSUM, "
    "the Scalar engine of gen2 has no tensor_copy, and the Tensor engine only multiplies and "
    "transposes. Source: NKI ISA reference.",
    wrong="nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add, engine=nisa.engine.scalar)",
    right="nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add, engine=nisa.engine.vector)",
)
