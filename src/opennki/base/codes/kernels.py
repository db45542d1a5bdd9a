"""A pure table: NKI28xx, graph ops, internal kernels, and calls of kernels in BIR.

Examples are in the textual form of Penguin or BIR, or in Python where a registry is made.
"""

from __future__ import annotations

from opennki.base.diag import code

NKI2801 = code(
    "NKI2801",
    "operand of a graph op with the wrong number of dimensions",
    "`{operand}` of {op} has rank {got}; rank {allowed} is needed",
    hint="reshape `{operand}`",
    why="Graph ops work on the last dimensions of their operands; the dimensions before them count "
    "rows, heads or batches.",
    wrong="attention dst=%o, query=%row, key=%k, value=%v  // %row: float32[64]",
    right="attention dst=%o, query=%q, key=%k, value=%v  // %q: float32[512, 64]",
)

NKI2802 = code(
    "NKI2802",
    "operand of a graph op with the wrong shape",
    "`{operand}` of {op} has the shape {got}; {want} is needed{why}",
    hint="give `{operand}` the shape {want}",
    why="The shapes of a graph op's operands follow from each other; nothing is broadcast.",
    wrong="softmax dst=%y, src=%x  // %y: float32[128, 64], %x: float32[128, 32]",
    right="softmax dst=%y, src=%x  // both float32[128, 64]",
)

NKI2803 = code(
    "NKI2803",
    "operands of a graph op with different dtypes",
    "`{operand}` of {op} is {got}, and `{other}` is {want}",
    hint="convert one of them before the op",
    why="A graph op has one dtype; what it computes in between is float32.",
    wrong="rms_norm dst=%y, src=%x, weight=%w, eps=1e-06  // %x: bfloat16, %w: float32",
    right="rms_norm dst=%y, src=%x, weight=%w, eps=1e-06  // all bfloat16",
)

NKI2804 = code(
    "NKI2804",
    "attribute of a graph op out of range",
    "{name} of {op} is {got}; {allowed} is allowed",
    hint="choose {name} as {allowed}",
    why="The op has no meaning for other values.",
    wrong="softmax dst=%y, src=%x, axis=2  // %x: float32[128, 64]",
    right="softmax dst=%y, src=%x, axis=1",
)

NKI2805 = code(
    "NKI2805",
    "internal kernel that is not registered",
    "Internal NKI kernel '{name}' is not registered. Available kernels: {known}",
    hint="register a kernel for it, or express the op with others",
    why="A graph op that no instruction computes is lowered to a call of the kernel that the "
    "registry has under the op's name.",
    wrong="Registry({}).find('softmax')",
    right="BUILT_IN.find('softmax')",
)

NKI2806 = code(
    "NKI2806",
    "internal kernel that takes another number of operands",
    "internal kernel '{name}' takes {want} operands; {op} has {got}",
    hint="give the op {want} operands, or register a kernel that takes {got}",
    why="The registry says how many operands a kernel takes where that is fixed.",
    wrong="InternalKernel('rms_norm', 'mine:kernel', operand_count=1)",
    right="InternalKernel('rms_norm', 'mine:kernel', operand_count=2)",
)

NKI2807 = code(
    "NKI2807",
    "internal kernel that needs several cores",
    "internal kernel '{name}' needs a grid of several cores; `{fn}` runs on {cores}",
    hint="build the function for each of several cores of a logical core",
    why="The programs of such a kernel divide the work among them and wait for each other.",
    wrong='Function("f", target)',
    right='[Function("f", target, core, 2) for core in range(2)]',
)

NKI2808 = code(
    "NKI2808",
    "internal kernel with other results than its graph op",
    "internal kernel '{name}' leaves {got}; {op} needs {want}",
    hint="let the kernel return tensors of these shapes and dtypes, in this order",
    why="What the kernel leaves becomes the results of the op, element by element.",
    wrong="return x  # (128, 64), for an op whose result is (64, 128)",
    right="return out  # (64, 128)",
)

NKI2809 = code(
    "NKI2809",
    "size that an internal kernel does not take",
    "{what} is {got}; internal kernel '{name}' takes {allowed}",
    hint="split {what}, or register another kernel for the op",
    why="A kernel is written for sizes whose tiles fit on chip.",
    wrong="attention dst=%o, query=%q, key=%k, value=%v  // %q: float32[512, 1024]",
    right="attention dst=%o, query=%q, key=%k, value=%v  // %q: float32[512, 128]",
)

NKI2810 = code(
    "NKI2810",
    "internal kernel that cannot be called",
    "internal kernel '{name}' is registered as {place}, {why}",
    hint="register it as `module:function`, with a function that `nki.jit` decorates",
    why="The registry names kernels, so that a compilation imports only those that it calls. The "
    "caller must have the target and the launch grid that a kernel's decorator asks for.",
    wrong="InternalKernel('softmax', 'opennki.kernels.softmax:sofmax')",
    right="InternalKernel('softmax', 'opennki.kernels.softmax:softmax')",
)

NKI2811 = code(
    "NKI2811",
    "call that does not fit its kernel",
    "the call of kernel `{func}` does not fit it: {why}",
    hint="list in func_args and func_outs every argument and result of the kernel, in the order of "
    "ins and outs",
    why="Each operand of a call takes the place of one storage of the kernel, with as many "
    "elements of the same dtype.",
    wrong='c = NKIKernel Unassigned outs(%y) ins() {func="f", func_args=[], func_outs=["out"]}',
    right='c = NKIKernel Unassigned outs(%y) ins(%x) {func="f", func_args=["x"], '
    'func_outs=["out"]}',
)

NKI2812 = code(
    "NKI2812",
    "kernel that calls itself",
    "kernel `{func}` calls itself, by way of {way}",
    hint="write the repetition as a loop",
    why="Calls are expanded in place; that of a kernel in itself would never end.",
    wrong='kernel @f inputs=[x] outputs=[] { ... NKIKernel ... {func="f", ...} }',
    right="kernel @f inputs=[x] outputs=[] { ... loop ... }",
)

NKI2813 = code(
    "NKI2813",
    "kernel in a form that cannot be read",
    "the prebuilt kernel of `{inst}` has the format {got}; {known} can be read",
    hint="build the kernel again in the format {known}",
    why="A prebuilt kernel is the complete function in the form that its format names.",
    wrong='k = NKIKLIRKernel ... {kernel_format="elf", klir_binary="...", ...}',
    right='k = NKIKLIRKernel ... {kernel_format="bir", klir_binary="...", ...}',
)

NKI2814 = code(
    "NKI2814",
    "prebuilt kernel that does not fit",
    "the prebuilt kernel of `{inst}` {why}",
    hint="build the kernel again with this version, for this target and number of cores",
    why="A prebuilt kernel has one function for each core of the program that calls it, or one for "
    "all, compiled for the same target.",
    wrong='k = NKIKLIRKernel ... {klir_binary="?", ...}',
    right='k = NKIKLIRKernel ... {klir_binary="eyJhcmNoIjogImdlbjMi...", ...}',
)

NKI2815 = code(
    "NKI2815",
    "operand of a kernel on several cores that one core sees",
    "`{operand}` of {op} is in {got}; internal kernel '{name}' runs on {cores} cores, which see "
    "shared_hbm only",
    hint="make the tensor of `{operand}` in shared_hbm, under one name in each core's function",
    why="The cores divide the work among them: each reads and writes parts of every operand.",
    wrong="tensor %x: float32[256, 64] private_hbm input",
    right="tensor %x: float32[256, 64] shared_hbm input",
)
