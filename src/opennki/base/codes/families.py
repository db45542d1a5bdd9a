"""A pure table: NKI22xx to NKI26xx, rules of one family of instructions.

22xx matmul and transpose, 23xx DMA, 24xx reduce, scan, statistics and search, 25xx activation
and scalar operands, 26xx select, predicate, fill and iota. General operand rules are in
`instruction`.
"""

from __future__ import annotations

from opennki.base.diag import code, warning_code

# --- 22xx matmul and transpose --------------------------------------------------------------------

NKI2201 = code(
    "NKI2201",
    "float32 mixed with a narrower dtype in a matmul",
    "`{wide}` is {wide_dtype} and `{narrow}` is {narrow_dtype}; "
    "if one is a 4-byte float, both must be",
    hint="convert `{wide}` to {half}, which is faster, or `{narrow}` to {wide_dtype}, with "
    "nisa.tensor_copy",
    why="A float32 product takes four passes over the array, a narrow one takes one. The array is "
    "set to one of the two for a whole instruction. All targets. Source: NKI ISA reference, "
    "nc_matmul.",
    wrong="nisa.nc_matmul(dst=acc, stationary=w_f32, moving=x_bf16)",
    right="nisa.nc_matmul(dst=acc, stationary=w_bf16, moving=x_bf16)",
)

NKI2203 = code(
    "NKI2203",
    "two kinds of e4m3 in one matmul",
    "`{first}` is {first_dtype} and `{second}` is {second_dtype}; "
    "the two e4m3 encodings cannot be mixed",
    hint="store both operands as {first_dtype}",
    why="float8_e4m3 has infinities and float8_e4m3fn has none, so equal bits mean different "
    "numbers. float8_e4m3fn needs gen4. Source: NKI ISA reference, nc_matmul.",
    wrong="nisa.nc_matmul(dst=acc, stationary=w_e4m3, moving=x_e4m3fn)",
    right="nisa.nc_matmul(dst=acc, stationary=w_e4m3fn, moving=x_e4m3fn)",
)

NKI2204 = code(
    "NKI2204",
    "performance mode needs 8-bit floats",
    "perf_mode {mode} needs 8-bit floats, and `{operand}` is {dtype}",
    hint="convert `{operand}` to float8_e4m3 or float8_e5m2, or leave perf_mode out",
    why="The mode packs two 8-bit values where one 16-bit value would be. gen3 and later. Source: "
    "NKI ISA reference, nc_matmul.",
    wrong="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w_bf16, moving=x_bf16, perf_mode=nisa.matmul_perf_mode.double_row\n"
    ")",
    right="nisa.nc_matmul(dst=acc, stationary=w_bf16, moving=x_bf16)",
)

NKI2205 = code(
    "NKI2205",
    "performance mode needs pairs",
    "perf_mode {mode} needs a first free dimension of 2, and `{operand}` has {got}",
    hint="give `{operand}` the shape (K, 2, n), where the second dimension holds the pair",
    why="The contraction is split between the partitions and the first free dimension: 128 "
    "partitions and pairs contract 256 values. Source: NKI ISA reference, nc_matmul.",
    wrong="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w[:, 0:128], moving=x[:, 0:512],\n"
    "    perf_mode=nisa.matmul_perf_mode.double_row,\n"
    ")",
    right="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w.reshape((128, 2, 128)), moving=x.reshape((128, 2, 512)),\n"
    "    perf_mode=nisa.matmul_perf_mode.double_row,\n"
    ")",
)

NKI2206 = code(
    "NKI2206",
    "performance mode with column tiles",
    "perf_mode {mode} cannot be combined with column tiles; tile_size is {tile_size}",
    hint="use a tile_size with 128 columns",
    why="The mode uses all columns of the array. Source: NKI ISA reference, nc_matmul.",
    wrong="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(0, 64), tile_size=(128, 64),\n"
    "    perf_mode=nisa.matmul_perf_mode.double_row,\n"
    ")",
    right="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(0, 0), tile_size=(64, 128),\n"
    "    perf_mode=nisa.matmul_perf_mode.double_row,\n"
    ")",
)

NKI2207 = code(
    "NKI2207",
    "half of a tile setting",
    "`{given}` is set and `{missing}` is not; tiling needs both",
    hint="set `{missing}` as well, or neither",
    why="A tile of the array is given by its size and its position. Source: NKI ISA reference.",
    wrong="nisa.nc_matmul(dst=acc, stationary=w, moving=x, tile_position=(64, 0))",
    right="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(64, 0), tile_size=(64, 128)\n"
    ")",
)

NKI2208 = code(
    "NKI2208",
    "tile position",
    "tile_position has {axis} {position}, which is not a multiple of the tile's {size} below 128",
    hint="start at a multiple of {size}",
    why="Tiles divide the 128 x 128 array evenly and do not overlap. Source: NKI ISA reference, "
    "nc_matmul.",
    wrong="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(32, 0), tile_size=(64, 128)\n"
    ")",
    right="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(64, 0), tile_size=(64, 128)\n"
    ")",
)

NKI2209 = code(
    "NKI2209",
    "tile size",
    "tile_size is {got}; rows and columns must each be one of {allowed} on {target}",
    hint="choose the smallest allowed size that holds the stationary operand",
    why="gen2 splits the array into halves of 64, gen3 and later also into quarters of 32. Source: "
    "NKI ISA reference, nc_matmul.",
    wrong="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(0, 0), tile_size=(48, 128)\n"
    ")",
    right="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w, moving=x, tile_position=(0, 0), tile_size=(64, 128)\n"
    ")",
)

NKI2210 = code(
    "NKI2210",
    "operand larger than its tile of the array",
    "operand `{operand}` has {dim} = {got}, and the tile of the array holds {limit}",
    hint="use a larger tile_size, or slice `{operand}` to {limit}",
    why="Rows of the array take the contraction, columns take the free size of the stationary "
    "operand. Source: NKI ISA reference, nc_matmul.",
    wrong="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w[0:128], moving=x[0:128], tile_position=(0, 0), tile_size=(64, 128)\n"
    ")",
    right="nisa.nc_matmul(\n"
    "    dst=acc, stationary=w[0:64], moving=x[0:64], tile_position=(0, 0), tile_size=(64, 128)\n"
    ")",
)

NKI2212 = code(
    "NKI2212",
    "transpose too large",
    "a tile of {rows} x {cols} is too large to transpose on the {engine} engine, "
    "which takes {limit} x {limit}",
    hint="transpose in blocks of {limit} x {limit}; nisa.dma_transpose takes larger ones",
    why="The Tensor engine transposes through its 128 x 128 array, the Vector engine inside blocks "
    "of 32 x 32. All targets. Source: NKI ISA reference, nc_transpose.",
    wrong="nisa.nc_transpose(dst=t, data=x[0:64, 0:64], engine=nisa.engine.vector)",
    right="nisa.nc_transpose(dst=t, data=x[0:64, 0:64], engine=nisa.engine.tensor)",
)

NKI2213 = code(
    "NKI2213",
    "transpose between the wrong memories",
    "the {engine} engine transposes from {want}; `{operand}` is in {got}",
    hint="for the Tensor engine put data in SBUF and dst in PSUM; the Vector engine takes both",
    why="A Tensor engine transpose is a matmul with the identity matrix and has the same ports. "
    "Source: NKI ISA reference, nc_transpose.",
    wrong="nisa.nc_transpose(dst=t_sbuf, data=x, engine=nisa.engine.tensor)",
    right="nisa.nc_transpose(dst=t_psum, data=x, engine=nisa.engine.tensor)\n"
    "nisa.tensor_copy(dst=t_sbuf, src=t_psum)",
)

NKI2214 = warning_code(
    "NKI2214",
    "transpose that spreads NaN and infinity",
    "a Tensor engine transpose on {target} spreads NaN and infinity to other elements",
    hint="replace NaN and infinity first, or transpose with nisa.dma_transpose",
    why="On gen2 the transpose multiplies with ones and zeros, and 0 x infinity is NaN. gen3 and "
    "later move bits. Source: NKI ISA reference, nc_transpose.",
    wrong="nisa.nc_transpose(dst=t, data=masked_with_inf)  # gen2",
    right="nisa.nc_transpose(dst=t, data=masked_with_lowest_float)",
)

NKI2215 = code(
    "NKI2215",
    "shuffle of a partition that is not there",
    "{inst} copies partition {source} of `{operand}` to partition {to} of dst, and `{operand}` has "
    "{got} partitions",
    hint="pass more partitions of `{operand}`, shuffle fewer of dst at once, or put 255 in "
    "shuffle_mask for what dst keeps",
    why="A mask is applied to each group of 32 partitions: group by group, dst takes from the same "
    "group of src. All targets. Source: NKI ISA reference, nc_stream_shuffle. Model: what lies "
    "beyond the view is not read.",
    wrong="nisa.nc_stream_shuffle(dst=x[0:128], src=row[0:1], shuffle_mask=[0] * 32)",
    right="for g in range(0, 128, 32):\n"
    "    nisa.nc_stream_shuffle(dst=x[g : g + 32], src=row[0:1], shuffle_mask=[0] * 32)",
)

NKI2216 = code(
    "NKI2216",
    "scales that do not cover their data",
    "operand `{operand}` has {got} partitions; {inst} takes {want} to {most} for the scales of "
    "`{data}`, which has {have}",
    hint="allocate the scales with as many partitions as `{data}`, or with 4 for one quadrant",
    why="One scale belongs to 8 partitions of data, and stays in their quadrant of 32: row i lies "
    "at partition 32 * (i // 4) + i % 4. Beyond one quadrant the tile is as high as the data, less "
    "the offset of a slice. gen4. Source: NKI ISA reference, quantize_mx; NKI guide on MXFP matrix "
    "multiplication. Model: scales that are written have no more partitions than the data.",
    wrong="nisa.quantize_mx(dst=q, src=x, dst_scale=s)  # q is (128, 64), s is (16, 64)",
    right="nisa.quantize_mx(dst=q, src=x, dst_scale=s)  # q is (128, 64), s is (128, 64)",
)

NKI2217 = code(
    "NKI2217",
    "incomplete scaling group",
    "operand `{operand}` has {got} {what}; {inst} needs a multiple of {group}",
    hint="pad `{operand}` with zeros to a multiple of {group}",
    why="MX data come in quadrants of 32 partitions, a scaling group is 8 partitions by 4 values, "
    "and the array takes packed stationary columns in pairs. gen4. Source: NKI ISA reference, "
    "quantize_mx and nc_matmul_mx.",
    wrong="nisa.quantize_mx(dst=q, src=x[0:40], dst_scale=s)",
    right="nisa.quantize_mx(dst=q, src=x[0:64], dst_scale=s)",
)

NKI2218 = code(
    "NKI2218",
    "values to quantize that do not lie together",
    "{inst} reads `{operand}` four values at a time, and {why}",
    hint="copy `{operand}` with nisa.tensor_copy so that the four values of an element are "
    "neighbours",
    why="Four values of a partition become one packed element, and are read at once: the innermost "
    "step is 1, its count a multiple of 4, and outer steps are even. gen4. Source: BIR data model, "
    "QuantizeMx.",
    wrong="nisa.quantize_mx(dst=q, src=x.permute((0, 2, 1)), dst_scale=s)  # x is (128, 4, 64)",
    right="nisa.tensor_copy(dst=y, src=x.permute((0, 2, 1)))  # y is (128, 64, 4)\n"
    "nisa.quantize_mx(dst=q, src=y, dst_scale=s)",
)

NKI2219 = warning_code(
    "NKI2219",
    "operand that is not ones and zeros",
    "is_{operand}_onezero is set, and {count} values of `{operand}` are neither 0 nor 1, such as "
    "{value}; the device may drop digits of them",
    hint="leave is_{operand}_onezero out",
    why="A float32 operand goes through the array in parts of fewer digits. Ones and zeros have no "
    "second part, so the hint leaves it out. Narrower dtypes have one part anyway, and the hint "
    "means nothing. All targets. Source: NKI ISA reference, nc_matmul. Model: what is left out is "
    "not published; the simulator computes with all digits.",
    wrong="nisa.nc_matmul(dst=acc, stationary=weights, moving=x, is_stationary_onezero=True)",
    right="nisa.nc_matmul(dst=acc, stationary=ones, moving=x, is_stationary_onezero=True)",
)

# --- 23xx DMA -------------------------------------------------------------------------------------

NKI2301 = code(
    "NKI2301",
    "DMA with PSUM",
    "operand `{operand}` is in psum; DMA reaches HBM and SBUF only",
    hint="copy between PSUM and SBUF with nisa.tensor_copy, then nisa.dma_copy",
    why="The language refuses PSUM in DMA since 0.3. It occupied the bank for the whole transfer. "
    "Source: NKI release notes, 0.3.",
    wrong="nisa.dma_copy(dst=out, src=acc)  # acc is in PSUM",
    right="nisa.tensor_copy(dst=tile, src=acc)\nnisa.dma_copy(dst=out, src=tile)",
)

NKI2302 = code(
    "NKI2302",
    "hardware descriptors cannot convert",
    "dge_mode hwdge cannot convert {src_dtype} to {dst_dtype}",
    hint="use dge_mode.swdge, or convert on chip with nisa.tensor_copy",
    why="The hardware descriptor generator writes descriptors that copy bytes. Conversion needs "
    "descriptors written by software. gen3 and later. Source: NKI ISA reference, dma_copy.",
    wrong="nisa.dma_copy(dst=f32_tile, src=bf16_x, dge_mode=nisa.dge_mode.hwdge)",
    right="nisa.dma_copy(dst=bf16_tile, src=bf16_x, dge_mode=nisa.dge_mode.hwdge)",
)

NKI2303 = code(
    "NKI2303",
    "engine for a DMA without hardware descriptors",
    "engine {engine} has no effect with dge_mode {mode}",
    hint="add dge_mode=nisa.dge_mode.hwdge, or leave engine out",
    why="`engine` names the sequencer that triggers the hardware descriptor generator. In other "
    "modes there is none. Source: NKI ISA reference, dma_copy.",
    wrong="nisa.dma_copy(dst=tile, src=x, engine=nisa.engine.scalar)",
    right="nisa.dma_copy(\n"
    "    dst=tile, src=x, engine=nisa.engine.scalar, dge_mode=nisa.dge_mode.hwdge\n"
    ")",
)

NKI2304 = code(
    "NKI2304",
    "skipping of indices without indices",
    "oob_mode skip is set, but neither dst nor src uses run-time indices",
    hint="leave oob_mode out; static bounds are checked while compiling",
    why="oob_mode says what happens to a run-time index outside of the tensor. Source: NKI ISA "
    "reference, dma_transpose.",
    wrong="nisa.dma_transpose(dst=tile, src=x, oob_mode=nisa.oob_mode.skip)",
    right="nisa.dma_transpose(\n"
    "    dst=tile,\n"
    "    src=x.ap(pattern=[[64, 128], [1, 64]], vector_offset=idx, indirect_dim=0),\n"
    "    oob_mode=nisa.oob_mode.skip,\n"
    ")",
)

NKI2305 = code(
    "NKI2305",
    "rank of a transposing DMA",
    "operand `{operand}` has {got} dimensions; dma_transpose takes two, three or four",
    hint="reshape `{operand}` so that its first and last dimensions are those to exchange",
    why="The transfer exchanges the first dimension and the last and keeps up to two between them. "
    "All targets. Source: NKI ISA reference, dma_transpose.",
    wrong="nisa.dma_transpose(dst=t, src=x)  # x is (2, 2, 2, 2, 64)",
    right="nisa.dma_transpose(dst=t, src=x.reshape((2, 8, 64)))",
)

NKI2306 = code(
    "NKI2306",
    "shape of a transposed tile",
    "operand `{operand}` has shape {got}; the transpose of {shape} has {want}",
    hint="allocate `{operand}` with shape {want}",
    why="Of two, three and four dimensions the order afterwards is (1, 0), (2, 1, 0) and (3, 1, 2, "
    "0); ranks are equal. All targets. Source: NKI ISA reference, dma_transpose.",
    wrong="nisa.dma_transpose(dst=tile, src=x[0:64, 0:128])  # tile is (64, 128)",
    right="nisa.dma_transpose(dst=tile, src=x[0:128, 0:64])",
)

NKI2307 = code(
    "NKI2307",
    "rows of a hardware transpose",
    "operand `{operand}` has shape {shape}, which dge_mode hwdge cannot cut into blocks of 16 rows",
    hint="leave dge_mode out, or transpose 16 rows at a time",
    why="Of two dimensions the first must be 16. Of more it must be 1, 2, 4, 8 or 16, and its "
    "product with the last dimension but one a multiple of 16. gen3 and later. Source: NKI ISA "
    "reference, dma_transpose.",
    wrong="nisa.dma_transpose(dst=t, src=x, dge_mode=nisa.dge_mode.hwdge)  # x is (128, 64)",
    right="nisa.dma_transpose(dst=t[:, 0:16], src=x[0:16, :], dge_mode=nisa.dge_mode.hwdge)",
)

NKI2308 = code(
    "NKI2308",
    "gather that cannot be transposed",
    "dma_transpose cannot transpose these rows: {why}",
    hint="gather with nisa.dma_copy first, then transpose the tile",
    why="The gather moves blocks of 16 rows of 2-byte elements, at most 128 wide, and reads its "
    "indices column by column from SBUF; more than one column must fill all partitions. Source: "
    "guide to descriptor generation, swdge.",
    wrong="nisa.dma_transpose(dst=t, src=x.vector_select(0, rows))  # x is float32",
    right="nisa.dma_transpose(dst=t, src=x.vector_select(0, rows))  # x is bfloat16",
)

NKI2309 = code(
    "NKI2309",
    "rows that cannot be changed in place",
    "dma_compute cannot change these rows in place: {why}",
    hint="scatter: dst=rows, srcs=[rows, tile]; gather: dst=tile, srcs=[tile, rows], where rows is "
    "a view in HBM with vector_offset and tile is in sbuf",
    why="With a vector of run-time indices the transfer reads, adds and writes back: rows of HBM "
    "plus a tile, or a tile plus rows of HBM. Source: NKI ISA reference, dma_compute.",
    wrong="nisa.dma_compute(dst=t, srcs=[a, x.vector_select(0, rows)], reduce_op=nl.add)",
    right="nisa.dma_compute(dst=t, srcs=[t, x.vector_select(0, rows)], reduce_op=nl.add)",
)

NKI2310 = code(
    "NKI2310",
    "element counts of a sum differ",
    "`{operand}` has {got} elements and `dst` has {want}",
    hint="slice all of them so that they have the same number of elements",
    why="A DMA adds element to element in the order of all access patterns. Source: NKI ISA "
    "reference, dma_compute.",
    wrong="nisa.dma_compute(dst=t, srcs=[a, b[0:64]], reduce_op=nl.add)",
    right="nisa.dma_compute(dst=t[0:64], srcs=[a[0:64], b[0:64]], reduce_op=nl.add)",
)

NKI2311 = warning_code(
    "NKI2311",
    "skipping where there is no index",
    "oob_mode skip has no effect: no operand of {inst} uses run-time indices",
    hint="leave oob_mode out where places are known; they are checked while compiling",
    why="oob_mode says what happens to a run-time index outside of the tensor. dma_transpose "
    "refuses it without one (NKI2304); of other transfers no document says so, and public kernels "
    "set it in both branches of one that indexes only in one. Source: NKI ISA reference, dma_copy.",
    wrong="nisa.dma_copy(dst=tile, src=x, oob_mode=nisa.oob_mode.skip)",
    right="nisa.dma_copy(dst=tile, src=x)",
)

# --- 24xx reduce, scan and statistics -------------------------------------------------------------

NKI2401 = code(
    "NKI2401",
    "reduction along partitions",
    "axis {axis} contains the partition dimension 0, which {inst} cannot reduce",
    hint="transpose with nisa.nc_transpose first, or multiply by a (P, 1) tile of ones in "
    "nisa.nc_matmul",
    why="Each lane sees its own partition only. All targets. Source: NKI ISA reference, "
    "tensor_reduce.",
    wrong="nisa.tensor_reduce(dst=s, op=nl.add, data=x, axis=0)",
    right="nisa.nc_matmul(dst=s, stationary=ones, moving=x)",
)

NKI2402 = code(
    "NKI2402",
    "reduction of dimensions that are not the last",
    "axis {axis} is not a run of dimensions that ends with the last of {ndim}",
    hint="reduce the last dimensions, or move them to the end with data.permute(...)",
    why="The engine keeps one running value and closes it when the innermost loops end. All "
    "targets. Source: NKI ISA reference, tensor_reduce.",
    wrong="nisa.tensor_reduce(dst=s, op=nl.add, data=x, axis=1)  # x is (128, 4, 64)",
    right="nisa.tensor_reduce(dst=s, op=nl.add, data=x.permute((0, 2, 1)), axis=2)",
)

NKI2403 = code(
    "NKI2403",
    "reduction axis out of range",
    "axis {axis} is out of range or repeated for a tile with {ndim} dimensions",
    hint="name each of the axes 1 to {ndim} - 1 at most once",
    why="Axes count from the partition dimension, which is 0. Source: NKI ISA reference.",
    wrong="nisa.tensor_reduce(dst=s, op=nl.add, data=x, axis=2)  # x is (128, 64)",
    right="nisa.tensor_reduce(dst=s, op=nl.add, data=x, axis=1)",
)

NKI2404 = code(
    "NKI2404",
    "destination of a reduction",
    "operand `{operand}` has {got} elements per partition; reducing axis {axis} leaves {want}",
    hint="allocate `{operand}` with {want} elements per partition",
    why="A reduction writes one value for each combination of the dimensions it keeps. All "
    "targets. Source: NKI ISA reference, tensor_reduce.",
    wrong="nisa.tensor_reduce(dst=s[:, 0:2], op=nl.add, data=x, axis=1)  # x is (128, 64)",
    right="nisa.tensor_reduce(dst=s[:, 0:1], op=nl.add, data=x, axis=1)",
)

NKI2405 = code(
    "NKI2405",
    "negated bit reduction",
    "negate has no meaning with the bit operator {op}",
    hint="leave negate out",
    why="Negation multiplies the float32 result by -1; bit operators have no such result. All "
    "targets. Source: NKI ISA reference, tensor_reduce.",
    wrong="nisa.tensor_reduce(dst=s, op=nl.bitwise_or, data=x, axis=1, negate=True)",
    right="nisa.tensor_reduce(dst=s, op=nl.bitwise_or, data=x, axis=1)",
)

NKI2411 = code(
    "NKI2411",
    "bn_aggr over incomplete triples",
    "operand `{operand}` has {got} elements per partition; bn_aggr needs a multiple of 3",
    hint="pass whole results of nisa.bn_stats, which are two triples each",
    why="The input is a list of (count, mean, variance times count). All targets. Source: NKI ISA "
    "reference, bn_aggr.",
    wrong="nisa.bn_aggr(dst=mean_var, data=stats[:, 0:5])",
    right="nisa.bn_aggr(dst=mean_var, data=stats[:, 0:6])",
)

NKI2412 = code(
    "NKI2412",
    "search in too few elements",
    "operand `{operand}` has {got} elements per partition; {inst} needs at least {want}",
    hint="search a longer tile; fill the rest with a value that cannot be found, such as -inf",
    why="The Vector engine searches with 8 values at a time and has a result for each of them. All "
    "targets. Source: NKI ISA reference, max8 and nc_find_index8. Model: nc_match_replace8 needs "
    "as many.",
    wrong="nisa.max8(dst=top, src=x[:, 0:4])",
    right="nisa.max8(dst=top, src=x[:, 0:8])",
)

NKI2413 = code(
    "NKI2413",
    "search over too many dimensions",
    "operand `{operand}` walks {got} free dimensions; {inst} walks at most {limit}",
    hint="reshape `{operand}` to fewer dimensions, or copy it into a contiguous tile first",
    why="max8 and nc_find_index8 read at most two free dimensions and write one. Dimensions of "
    "size 1 do not count. All targets. Source: NKI ISA reference, max8 and nc_find_index8.",
    wrong="nisa.max8(dst=top, src=x)  # x is (128, 4, 4, 4)",
    right="nisa.max8(dst=top, src=x.reshape((128, 64)))",
)

NKI2414 = code(
    "NKI2414",
    "reduction across an incomplete group of partitions",
    "operand `{operand}` has {got} partitions; {inst} needs a multiple of {group}",
    hint="put the data into a tile of a multiple of {group} partitions and fill the rest with what "
    "does not count, such as 0 for add",
    why="GpSimd folds partitions in groups of 32. All targets. Source: BIR data model, "
    "TensorReduce along the axis C.",
    wrong="nisa.tensor_partition_reduce(dst=s, op=nl.add, data=x[0:16])",
    right="nisa.tensor_partition_reduce(dst=s, op=nl.add, data=x[0:32])",
)

NKI2451 = code(
    "NKI2451",
    "incomplete group of 16 partitions",
    "operand `{operand}` has {got} partitions; {inst} needs a multiple of {group}",
    hint="use tiles with a multiple of {group} partitions; the rest may hold anything valid",
    why="Each of GpSimd's eight cores reaches 16 neighbouring partitions and works on all of them. "
    "All targets. Source: NKI ISA reference, local_gather and topk.",
    wrong="nisa.local_gather(dst=y[0:8], src_buffer=x[0:8], index=idx[0:8])",
    right="nisa.local_gather(dst=y[0:16], src_buffer=x[0:16], index=idx[0:16])",
)

NKI2452 = code(
    "NKI2452",
    "destination of a gather",
    "operand `{operand}` has {got} elements per partition; {count} indices of {each} element(s) "
    "give {want}",
    hint="give `{operand}` {want} elements per partition, or set num_valid_indices and "
    "num_elem_per_idx to what it holds",
    why="Every index fills num_elem_per_idx elements in all 16 partitions of its group; without "
    "num_valid_indices a group uses 16 indices for each column of `index`. The instruction itself "
    "has no other place for num_elem_per_idx. All targets. Source: NKI ISA reference, "
    "local_gather, and NKI release notes, 0.6, known issues.",
    wrong="nisa.local_gather(dst=y[:, 0:4], src_buffer=x, index=idx)  # idx is (128, 4)",
    right="nisa.local_gather(dst=y[:, 0:64], src_buffer=x, index=idx)",
)

NKI2453 = warning_code(
    "NKI2453",
    "elements per index without a number of indices",
    "num_elem_per_idx is {got}, but num_valid_indices is not given",
    hint="pass num_valid_indices={count} as well",
    why="Release 0.6 gathers one element per index unless num_valid_indices times num_elem_per_idx "
    "is the number of elements of dst. Here the argument counts in any case. Source: NKI release "
    "notes, 0.6, known issues.",
    wrong="nisa.local_gather(dst=y, src_buffer=x, index=idx, num_elem_per_idx=4)",
    right="nisa.local_gather(\n"
    "    dst=y, src_buffer=x, index=idx, num_elem_per_idx=4, num_valid_indices=64\n"
    ")",
)

# --- 25xx activation and scalar operands ----------------------------------------------------------

NKI2501 = code(
    "NKI2501",
    "not an activation function",
    "{op} is not an activation function",
    hint="did you mean nl.{close}?; operators with two inputs run in nisa.tensor_tensor or "
    "nisa.tensor_scalar",
    why="The Scalar engine evaluates functions of one value from its tables. Source: NKI ISA "
    "reference, activation functions.",
    wrong="nisa.activation(dst=y, op=nl.add, data=x)",
    right="nisa.activation(dst=y, op=nl.exp, data=x)",
)

NKI2502 = code(
    "NKI2502",
    "number as bias",
    "bias is the number {got}; on {target} it must be a (P, 1) tile",
    hint="fill a tile: nisa.memset(dst=bias, value={got})",
    why="The activation instruction of gen2 reads its bias from memory only. gen3 and later also "
    "encode a number. Source: NKI ISA reference, activation.",
    wrong="nisa.activation(dst=y, op=nl.exp, data=x, bias=1.0)  # gen2",
    right="nisa.memset(dst=bias, value=1.0)\nnisa.activation(dst=y, op=nl.exp, data=x, bias=bias)",
)

NKI2504 = warning_code(
    "NKI2504",
    "prelu without a slope",
    "prelu has slope 0 here, which makes it relu",
    hint="use op=nl.relu if that is meant; nisa.activate2 takes a slope as relu_param",
    why="nisa.activation and nisa.activation_reduce have no argument for the slope of the negative "
    "side. Source: NKI ISA reference, activation and activate2.",
    wrong="nisa.activation(dst=y, op=nl.prelu, data=x)",
    right="nisa.activation(dst=y, op=nl.relu, data=x)",
)

# --- 26xx select, predicate, fill and iota --------------------------------------------------------

NKI2601 = code(
    "NKI2601",
    "pattern of the wrong size",
    "the pattern of {inst} makes {got} elements; `{operand}` has {want} per partition",
    hint="let the product of the pattern's counts be {want}",
    why="The generator makes one value per element of each partition. All targets. Source: NKI ISA "
    "reference, iota.",
    wrong="nisa.iota(dst=t[:, 0:64], pattern=[[1, 32]])",
    right="nisa.iota(dst=t[:, 0:64], pattern=[[1, 64]])",
)

NKI2602 = code(
    "NKI2602",
    "pattern of the wrong form",
    "{pattern} is not a pattern: {why}",
    hint="write one to four pairs [step, count] with integer steps and positive counts",
    why="The generator has four nested counters with a 32-bit step each. Source: NKI ISA "
    "reference, iota.",
    wrong="nisa.iota(dst=t, pattern=[64])",
    right="nisa.iota(dst=t, pattern=[[1, 64]])",
)

NKI2605 = code(
    "NKI2605",
    "number beyond 32 bits",
    "{name} is {got}, which is not a 32-bit integer",
    hint="keep {name} between -2**31 and 2**31 - 1, without a fraction",
    why="Patterns are generated in 32-bit integer arithmetic. All targets. Source: NKI ISA "
    "reference, iota.",
    wrong="nisa.iota(dst=t, pattern=[[1, 64]], offset=2**40)",
    right="nisa.iota(dst=t, pattern=[[1, 64]], offset=2**20)",
)

NKI2606 = code(
    "NKI2606",
    "value that the dtype cannot hold",
    "value {value} cannot be stored as {dtype}",
    hint="choose a value that {dtype} holds, or another dtype for the tile",
    why="The constant is encoded in the dtype of the destination. A fraction, a negative number or "
    "a number out of range would be changed silently. Source: NKI ISA reference, memset.",
    wrong="nisa.memset(dst=bytes_tile, value=-1)  # uint8",
    right="nisa.memset(dst=bytes_tile, value=255)",
)

NKI2607 = code(
    "NKI2607",
    "packed dtype with a value",
    "{dtype} packs four values; it can be filled with 0 only, not with {value}",
    hint="fill a tile of the unpacked dtype and convert it with nisa.quantize_mx",
    why="One element holds four small floats and one number cannot say all four. Source: NKI ISA "
    "reference, memset.",
    wrong="nisa.memset(dst=x4_tile, value=1.0)",
    right="nisa.memset(dst=x4_tile, value=0)",
)

NKI2608 = code(
    "NKI2608",
    "index beyond what float32 counts",
    "{inst} counts from {first} to {last}; its indices must stay within -2**24 and 2**24",
    hint="subtract a part of range_start from range_start and from both bounds",
    why="Indices and bounds are compared in float32, which has every integer up to 2**24 and only "
    "some of the larger ones. Source: NKI ISA reference, range_select.",
    wrong="nisa.range_select(\n"
    "    dst=c, on_true_tile=a, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=low,\n"
    "    bound1=high, range_start=2**25,\n"
    ")",
    right="nisa.range_select(\n"
    "    dst=c, on_true_tile=a, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=low,\n"
    "    bound1=high, range_start=2**20,\n"
    ")",
)
