"""A pure table: NKI1xxx, what the language does not allow: calls, arguments, loops."""

from __future__ import annotations

from opennki.base.diag import code, warning_code

# --- calls and values -----------------------------------------------------------------------------

NKI1001 = code(
    "NKI1001",
    "NKI call outside of a kernel",
    "`{api}` was called outside of a kernel",
    hint="call it from a function decorated with @nki.jit, or from a function such a kernel calls",
    why="NKI calls append instructions to the kernel that is being traced. Outside of one there is "
    "nothing to append to, and no array holds data yet. Source: NKI language guide.",
    wrong="t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)  # at module level",
    right="@nki.jit\n"
    "def kernel(x):\n"
    "    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)",
)

NKI1002 = code(
    "NKI1002",
    "Python asks for a value that only the device knows",
    "{what} needs the elements of {tensor}, which are known on the device only",
    hint="loop over indices: for i in range({size}); select elements with "
    "nisa.tensor_copy_predicated or nisa.select_reduce",
    why="The kernel's Python runs once, before any data exists. `if`, `while`, bool(), int(), "
    "float() and iteration over a tensor need its elements at that time. Shapes, dtypes and "
    "plain numbers are known and may steer Python. All targets. Source: NKI language guide, "
    "control flow.",
    wrong="if scores[0, 0] > 0:\n    nisa.memset(dst=out, value=1.0)",
    right="nisa.tensor_copy_predicated(dst=out, src=ones, predicate=positive)",
)

NKI1003 = code(
    "NKI1003",
    "Python operator on a tensor",
    "Python operator `{op}` does not work on tensors",
    hint="{function} returns a new tile; {instruction} writes the tile that you pass as dst; "
    "{comparison} gives a tile too, and `if` cannot branch on one: the kernel's Python runs before "
    "any data exists (NKI1002)",
    why="A tensor names a place in memory, not a value. An operator has no destination, so nobody "
    "could say in which memory its result lives. The language has refused operators since 0.2; the "
    "0.1 language still computes with them. Source: NKI migration guide.",
    wrong="c = a + b",
    right="c = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)\n"
    "nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add)",
)

NKI1004 = code(
    "NKI1004",
    "unknown keyword",
    "`{fn}` has no parameter `{name}`",
    hint="did you mean `{close}`?; `{fn}` takes {known}",
    why="Keywords are never ignored, because an ignored keyword changes what the kernel means. "
    "Several were removed when the language changed: `mask`, and `dtype` on instructions that now "
    "take the dtype from `dst`.",
    wrong="nisa.tensor_copy(dst=a, source=b)",
    right="nisa.tensor_copy(dst=a, src=b)",
)

NKI1005 = code(
    "NKI1005",
    "missing argument",
    "`{fn}` needs an argument for `{name}`",
    hint="pass `{name}=`; instructions take `{destination}` first since 0.2",
    why="The parameter has no default. A missing `dst` usually means that the call is written in "
    "the 0.1 style, in which instructions returned their result.",
    wrong="c = nisa.tensor_tensor(data1=a, data2=b, op=nl.add)",
    right="nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add)",
)

NKI1006 = code(
    "NKI1006",
    "too many positional arguments",
    "`{fn}` takes at most {most} positional argument(s), and got {got}",
    hint="`{fn}` takes {known}; pass {optional} by keyword",
    why="The call has more values than the function has parameters. All language versions.",
    wrong="nisa.reciprocal(dst, x, nl.float32, 'r0')",
    right="nisa.reciprocal(dst, x, name='r0')",
)

NKI1007 = code(
    "NKI1007",
    "argument of the wrong type",
    "`{name}` of `{fn}` must be {expected}, and is {got}",
    hint="pass {expected}",
    why="The instruction encodes this argument in a field of one kind. A NumPy or torch array "
    "inside a kernel is such a mistake too: pass it as an argument of the kernel.",
    wrong="nisa.tensor_copy(dst=a, src=np.zeros((128, 4)))",
    right="nisa.memset(dst=a, value=0.0)",
)

NKI1008 = code(
    "NKI1008",
    "number or string in place of an enumeration member",
    "`{name}` of `{fn}` must be {expected}, and is {got}",
    hint="write the member, for example nl.sbuf, nisa.engine.vector or nisa.oob_mode.skip",
    why="Numbers and strings were accepted for buffers, engines and modes until 0.2. Their meaning "
    "differs between versions, so 0.3 and later refuse them. Source: NKI release notes, 0.3.",
    wrong="t = nl.ndarray((128, 64), dtype=nl.float32, buffer='sbuf')",
    right="t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)",
)

# --- kernel arguments and results -----------------------------------------------------------------

NKI1010 = code(
    "NKI1010",
    "unsupported kernel argument",
    "kernel argument `{name}` is {got}, which a kernel cannot take: {why}",
    hint="pass arrays, numbers, strings, bool, None, tuples, enumeration members, or objects whose "
    "class derives from nl.NKIObject",
    why="Arrays become inputs of the kernel. Everything else is a compile-time constant, becomes "
    "part of the cache key, and must therefore be comparable and immutable. Source: NKI language "
    "guide, kernel arguments.",
    wrong="kernel(x, {1, 2, 3})",
    right="kernel(x, (1, 2, 3))",
)

NKI1011 = code(
    "NKI1011",
    "array argument of an unsupported dtype",
    "array `{name}` has dtype {dtype}, which no engine can read",
    hint="convert it before the call: {cast}",
    why="The engines read elements of 1, 2 and 4 bytes. float64, int64, uint64, complex and object "
    "arrays have no representation, and a silent conversion would hide a loss of precision. NumPy "
    "makes float64 by default. All targets. Source: NKI language guide, supported data types.",
    wrong="kernel(np.random.rand(128, 512))",
    right="kernel(np.random.rand(128, 512).astype(np.float32))",
)

NKI1012 = code(
    "NKI1012",
    "empty array argument",
    "array `{name}` has no elements: its shape is {shape}",
    hint="call the kernel only when there is something to compute, or pad the array",
    why="Every instruction and every DMA descriptor moves at least one element. A dimension of "
    "size 0 cannot be laid out in memory. All targets.",
    wrong="kernel(np.zeros((0, 512), np.float32))",
    right="if len(rows):\n    kernel(rows)",
)

NKI1013 = code(
    "NKI1013",
    "kernel without a result",
    "the kernel returns nothing",
    hint="return the tensor that it writes: `return out`, where out is in nl.shared_hbm",
    why="A kernel is a pure function for the program around it. Only tensors that it returns reach "
    "the caller, so a kernel without `return` would be removed as dead. All language versions.",
    wrong="@nki.jit\n"
    "def kernel(x):\n"
    "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
    "    nisa.dma_copy(dst=out, src=x)",
    right="@nki.jit\n"
    "def kernel(x):\n"
    "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
    "    nisa.dma_copy(dst=out, src=x)\n"
    "    return out",
)

NKI1014 = code(
    "NKI1014",
    "result that is not a tensor",
    "the kernel returns {got} at {where}; only tensors can be returned",
    hint="return one tensor, or a tuple or list of tensors",
    why="Results become outputs of the compiled program, and each output is one array in HBM. A "
    "number known at compile time can be computed by the caller. A view is not a tensor either: "
    "copy it into a tensor of its own.",
    wrong="return out, 3",
    right="return out",
)

NKI1015 = code(
    "NKI1015",
    "result on chip",
    "the kernel returns `{name}`, which is in {space}; results must be in HBM",
    hint="allocate a tensor with buffer=nl.shared_hbm, nisa.dma_copy `{name}` into it, return that",
    why="SBUF and PSUM belong to the kernel while it runs and are reused afterwards. The caller "
    "sees HBM only. From 0.3 on, outputs are placed in nl.shared_hbm. Source: NKI language guide, "
    "memory hierarchy.",
    wrong="tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\nreturn tile",
    right="out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)\n"
    "nisa.dma_copy(dst=out, src=tile)\n"
    "return out",
)

NKI1016 = code(
    "NKI1016",
    "output never written",
    "output `{name}` is returned but no instruction writes it",
    hint="copy the result into `{name}` with nisa.dma_copy; look for a loop that runs zero times",
    why="A fresh tensor has no defined contents, so the caller would get whatever was in memory. "
    "The usual reasons are a loop whose trip count is zero (rows // 128 with fewer than 128 rows) "
    "and a name that was bound to a new tensor instead of being written.",
    wrong="for i in range(x.shape[0] // 128):  # x has 64 rows\n"
    "    nisa.dma_copy(dst=out[i * 128:(i + 1) * 128], src=x[i * 128:(i + 1) * 128])\n"
    "return out",
    right="for i in range((x.shape[0] + 127) // 128):\n"
    "    end = min(x.shape[0], (i + 1) * 128)\n"
    "    nisa.dma_copy(dst=out[i * 128:end], src=x[i * 128:end])\n"
    "return out",
)

NKI1017 = code(
    "NKI1017",
    "recursion without end",
    "`{fn}` calls itself without end",
    hint="end the recursion on a number known while tracing, such as a shape or a depth argument",
    why="Calls are inlined while tracing; nothing on the device is a call. A recursion must "
    "therefore end by values that Python knows. Tracing stops at Python's own recursion limit.",
    wrong="def halve(t):\n    halve(t[:, 0 : t.shape[1] // 2])",
    right="def halve(t):\n    if t.shape[1] > 1:\n        halve(t[:, 0 : t.shape[1] // 2])",
)

NKI1018 = code(
    "NKI1018",
    "exception in the kernel's own Python",
    "the kernel's Python raised {type}: {text}",
    hint="`{argument}` is {kind}, which stays one inside of a kernel: pass an array instead "
    "(on the command line, --arg {argument}=f32[128,512]); "
    "the kernel runs as ordinary Python while it is traced, so a debugger or print() works",
    why="The exception comes from the kernel or from a function that it calls, not from NKI. It is "
    "reported here with the innermost line of user code; the original exception is attached as its "
    "cause.",
    wrong="scale = {'a': 1.0}['b']",
    right="scale = {'a': 1.0}['a']",
)

NKI1019 = code(
    "NKI1019",
    "assertion in the kernel failed",
    "assertion failed: {text}",
    hint="the assertion is the kernel's own: call it with arguments that satisfy it",
    why="The kernel states with `assert` what it supports. Assertions run while tracing, on "
    "shapes, dtypes and other compile-time values. They never see data.",
    wrong="assert x.shape[0] % 128 == 0, 'rows must be a multiple of 128'  # x has 100 rows",
    right="assert x.shape[0] % 128 == 0, 'rows must be a multiple of 128'  # x has 256 rows",
)

NKI1020 = code(
    "NKI1020",
    "bad launch grid",
    "launch grid {grid} is not possible: {why}",
    hint="launch with kernel[1] or kernel[2], or without a grid",
    why="The grid says on how many physical cores of one logical core the kernel runs. gen2 has "
    "one core per logical core; gen3 and gen4 allow one or two. Source: NKI programming guide, "
    "logical NeuronCore.",
    wrong="kernel[3](x)",
    right="kernel[2](x)",
)

NKI1021 = code(
    "NKI1021",
    "program axis out of range",
    "program axis {axis} does not exist; {grid}",
    hint="use axis 0, the only one since 0.2",
    why="program_id and num_programs take an axis of the launch grid, counted from 0. A kernel "
    "launched without a grid has one program.",
    wrong="core = nl.program_id(1)",
    right="core = nl.program_id(0)",
)

NKI1022 = code(
    "NKI1022",
    "write to a read-only argument",
    "the kernel writes its argument `{name}`, which it may not: {why}",
    hint="allocate an output with nl.ndarray(..., buffer=nl.shared_hbm), write and return that; "
    "in the 0.1 language annotate the parameter as nki.typing.mutable_tensor and return it",
    why="The program around the kernel may keep the array or pass it to others. Writing it in "
    "place would change their data. All targets. Source: NKI language guide, kernel arguments.",
    wrong="@nki.jit\ndef kernel(x):\n    nisa.dma_copy(dst=x, src=tile)",
    right="@nki.jit\n"
    "def kernel(x):\n"
    "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
    "    nisa.dma_copy(dst=out, src=tile)\n"
    "    return out",
)

NKI1023 = code(
    "NKI1023",
    "unknown target",
    "there is no target named {got}",
    hint="NKI needs {least} or newer; choose one of {known}",
    why="A target may be named by generation (gen3), by instance (trn2) or by its own name "
    "(cayman). It decides sizes of memories, limits and which instructions exist. NKI starts with "
    "trn1; inf1 has none.",
    wrong="nki.jit(kernel, platform_target='trn9')",
    right="nki.jit(kernel, platform_target='trn2')",
)

NKI1024 = code(
    "NKI1024",
    "bad value of an environment variable",
    "environment variable {name} is set to `{got}`, a value that it does not have",
    hint="set {name} to one of: {known}; or unset it",
    why="A misspelt value would otherwise select the default without notice.",
    wrong="os.environ['NKI_FRONTEND'] = 'beta4'",
    right="os.environ['NKI_FRONTEND'] = 'beta3'",
)

NKI1025 = code(
    "NKI1025",
    "kernel decorator on something that is not a function",
    "@nki.jit was applied to {got}; it takes a function",
    hint="decorate a function",
    why="The tracer needs a function's parameters and code to bind arguments and to report lines.",
    wrong="kernel = nki.jit(3)",
    right="@nki.jit\ndef kernel(x):\n    return x",
)

NKI1026 = code(
    "NKI1026",
    "launch grid on a nested kernel",
    "kernel `{fn}` is called with grid {grid} from inside another kernel",
    hint="call `{fn}` without a grid; it is inlined and runs on the caller's cores",
    why="Only the outermost call decides on how many cores the program runs. All versions.",
    wrong="@nki.jit\ndef outer(x):\n    return inner[2](x)",
    right="@nki.jit\ndef outer(x):\n    return inner(x)",
)

NKI1028 = code(
    "NKI1028",
    "operator called as a function",
    "nl.{name} names an operator and cannot be called",
    hint="pass it to an instruction: {use}",
    why="Some names of nki.language stand for an operator of an engine only. The instruction that "
    "has an `op` argument is what computes. Source: NKI language reference.",
    wrong="y = nl.bypass(x)",
    right="nisa.tensor_scalar(dst=y, data=x, op0=nl.bypass, operand0=None)",
)

NKI1029 = code(
    "NKI1029",
    "name that NKI does not have",
    "{module} has no `{name}`",
    hint="did you mean {close}?",
    why="The name is misspelt, or of another module. All public names of NKI exist here. "
    "Source: NKI API reference.",
    wrong="y = nl.maximun(a, b)",
    right="y = nl.maximum(a, b)",
)

NKI1037 = code(
    "NKI1037",
    "written argument that shares memory with another",
    "`{name}` is written by the kernel and shares memory with `{other}`",
    hint="pass a copy of one of them",
    why="Arguments are tensors of their own on the device. Writing one of two that share memory "
    "would leave the caller's array with the values of whichever is copied back last.",
    wrong="update(x, x)  # writes its first argument",
    right="update(x, x.copy())",
)

NKI1048 = code(
    "NKI1048",
    "transformation that a kernel does not have",
    "kernel `{kernel}` is {what}, which a kernel cannot be",
    hint="{instead}",
    why="To JAX a kernel is one call that gives arrays for arrays. What it does inside is not made "
    "of JAX's operations, so that no rule for derivatives or for a further axis can be found from "
    "it. Source: NKI guide, kernels as custom operators of a framework.",
    wrong="jax.grad(lambda x: kernel(x).sum())(x)",
    right="@jax.custom_vjp\n"
    "def op(x):\n"
    "    return kernel(x)\n\n"
    "op.defvjp(lambda x: (op(x), x), lambda x, g: (gradient_kernel(x, g),))",
)

NKI1049 = code(
    "NKI1049",
    "result of a dtype that the caller's framework does not have",
    "result `{name}` is {dtype}, which {framework} does not have",
    hint="return {close}; or return the bytes, {name}.view({bytes}); or pass NumPy arrays",
    why="Results are of the kind of the arguments. Handing back another dtype or other bits "
    "would hide what the kernel computed. torch has no float8 E4M3 with infinities, which is "
    "nl.float8_e4m3. Source: torch reference, torch.dtype.",
    wrong="out = nl.ndarray(x.shape, dtype=nl.float8_e4m3, buffer=nl.shared_hbm)  # x of torch",
    right="out = nl.ndarray(x.shape, dtype=nl.float8_e4m3fn, buffer=nl.shared_hbm)",
)

# --- constructs of other versions -----------------------------------------------------------------

NKI1030 = code(
    "NKI1030",
    "construct that was removed",
    "{construct} is not part of the language since {since}",
    hint="{instead}",
    why="NKI 0.2 replaced index tensors, masks, block dimensions and value-returning instructions "
    "by slices, access patterns and explicit destinations. The 0.1 language still has them under "
    "neuronxcc.nki. Source: NKI migration guide.",
    wrong="i = nl.arange(128)[:, None]\ntile = nl.load(x[i, nl.arange(64)[None, :]], mask=i < n)",
    right="tile = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.sbuf)\n"
    "nisa.dma_copy(dst=tile, src=x[0:n, 0:64])",
)

NKI1051 = warning_code(
    "NKI1051",
    "construct of an earlier version",
    "{construct} is not part of the language since {since}; it is taken for what it meant before",
    hint="{instead}; nki.simulate(kernel, nki='{before}') takes the kernel as one of that version",
    why="Kernels of earlier versions keep running where their meaning is known, and the present "
    "compiler refuses them. Source: NKI migration guides.",
    wrong="nisa.tensor_copy(dst=y, src=x, dtype=nl.float32)",
    right="nisa.tensor_copy(dst=y, src=x)",
)

NKI1031 = code(
    "NKI1031",
    "assignment to elements of a tensor",
    "`{name}[...] = ...` does not store into a tensor",
    hint="write nisa.tensor_copy(dst={name}[...], src=...), or nisa.dma_copy when one side is in "
    "HBM",
    why="Since 0.2 every write is an instruction with a destination. Item assignment was a store "
    "in the 0.1 language only. Source: NKI migration guide.",
    wrong="acc[0:128, 0:64] = tile",
    right="nisa.tensor_copy(dst=acc[0:128, 0:64], src=tile)",
)

NKI1060 = warning_code(
    "NKI1060",
    "tile stored by assignment",
    "`{name}[...] = ...` is taken for {instruction}",
    hint="write {instruction}(dst={name}[...], src=...)",
    why="Documents since 0.2 know no item assignment: every write is an instruction with a "
    "destination. Public kernels for 0.3 use it all the same, and it works there. Source: NKI "
    "migration guide; published packages.",
    wrong="acc[0:128, 0:64] = tile",
    right="nisa.tensor_copy(dst=acc[0:128, 0:64], src=tile)",
)

NKI1061 = warning_code(
    "NKI1061",
    "tensor in a condition",
    "`{name}` in a condition is true whatever its elements are",
    hint="ask whether there is a tensor: `{name} is not None`; choose elements with "
    "nisa.tensor_copy_predicated",
    why="The kernel's Python runs before any element exists. A tensor is taken for an argument "
    "that may be None, as public kernels use it; a tile of one element in a condition is an error "
    "(NKI1002), because its value is meant.",
    wrong="if bias:\n    nisa.dma_copy(dst=t, src=bias)",
    right="if bias is not None:\n    nisa.dma_copy(dst=t, src=bias)",
)

NKI1032 = code(
    "NKI1032",
    "use of an instruction's result",
    "`{fn}` returns nothing; its result is in the tensor passed as dst",
    hint="use the tensor passed as `dst`",
    why="Instructions write their destination and return None since 0.2. Using the returned value "
    "is left over from the 0.1 style. Source: NKI migration guide.",
    wrong="y = nisa.reciprocal(dst=r, data=x)\nnisa.tensor_copy(dst=z, src=y)",
    right="nisa.reciprocal(dst=r, data=x)\nnisa.tensor_copy(dst=z, src=r)",
)


NKI1040 = code(
    "NKI1040",
    "loop bound that is not an integer",
    "`{name}` of `{fn}` must be an integer, and is {got}",
    hint="use // instead of / on shapes; for a bound in a register use nl.fori_loop",
    why="Trip counts are whole numbers. Dividing shapes with `/` makes a float. Only run-time "
    "loops accept a register as bound.",
    wrong="for i in nl.affine_range(x.shape[0] / 128):\n    step(i)",
    right="for i in nl.affine_range(x.shape[0] // 128):\n    step(i)",
)

NKI1038 = code(
    "NKI1038",
    "programs of a launch do not fit together",
    "program {core} of the launch {does}; program 0 {first}",
    hint="make and return the same shared_hbm tensors in every program, outside of conditions on "
    "nl.program_id",
    why="Programs of a launch run the same kernel on different cores. Tensors in shared_hbm are "
    "one tensor for all of them, found by name, and the results are those of program 0.",
    wrong="rows = 128 - 64 * nl.program_id(0)\n"
    "out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)",
    right="rows = 64\nout = nl.ndarray((2 * rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)",
)

# --- registers and run-time loops -----------------------------------------------------------------

NKI1041 = code(
    "NKI1041",
    "write to the index of a loop",
    "`{operand}` of {fn} is the index of a dynamic_range loop, which cannot be written",
    hint="copy it into a register of its own first: r = nisa.register_alloc(); "
    "nisa.register_move(r, i)",
    why="The loop counts by itself; a second value in the same register would leave open which of "
    "the two the loop goes by. Source: NKI language guide, dynamic loops.",
    wrong="for i in nl.dynamic_range(n):\n    nisa.register_move(i, 0)",
    right="for i in nl.dynamic_range(n):\n    nisa.register_move(r, i)",
)

NKI1042 = code(
    "NKI1042",
    "Python asks for the value of a register",
    "{what} needs the value of the register `{register}`, which is known on the device only",
    hint="{instead}",
    why="The kernel's Python runs once, before any register has a value. Registers serve as bounds "
    "and conditions of run-time loops, and as scalar_offset of a view. Source: NKI ISA reference, "
    "VirtualRegister.",
    wrong="if reg:\n    nisa.memset(dst=t, value=0.0)",
    right="nl.while_loop(reg, body)  # or: while reg: ...",
)

NKI1043 = code(
    "NKI1043",
    "run-time loop that cannot be built",
    "this run-time loop cannot be built: {what}",
    hint="{instead}",
    why="The body of the loop is traced once and runs on the device as often as a register says. "
    "Python cannot leave it early, its order is not that of straight-line code, and its tensors "
    "exist only inside. Source: NKI language guide, dynamic loops.",
    wrong="for i in nl.dynamic_range(n):\n    break",
    right="for i in nl.dynamic_range(n):\n    nisa.dma_copy(dst=t, src=x.select(0, i))",
)

NKI1044 = code(
    "NKI1044",
    "bad argument of a run-time loop",
    "`{name}` of {fn} must be {expected}, and is {got}",
    hint="{instead}",
    why="The loop is one instruction whose step is a constant and whose bounds are constants or "
    "registers. Source: NKI language reference, dynamic_range, fori_loop, while_loop.",
    wrong="nl.fori_loop(0, n, body, step=0)",
    right="nl.fori_loop(0, n, body, step=2)",
)

NKI1045 = code(
    "NKI1045",
    "tensor of a run-time loop used outside",
    "`{tensor}` is made in a run-time loop and used by {inst} outside of it",
    hint="make `{tensor}` before the loop and write it inside",
    why="A tensor that is made in the body belongs to one trip of the loop; the loop may also not "
    "run at all. What has to outlive it is made before it. Source: NKI language reference, "
    "fori_loop.",
    wrong="def body(i):\n    global t\n    t = nl.ndarray((128, 64), nl.float32, nl.sbuf)",
    right="t = nl.ndarray((128, 64), nl.float32, nl.sbuf)\n\ndef body(i):\n"
    "    nisa.dma_copy(dst=t, src=x.select(0, i))",
)

NKI1046 = code(
    "NKI1046",
    "dependence across the border of a run-time loop",
    "`{consumer}` cannot depend on `{name}`, which is in a run-time loop of its own",
    hint="let both be in the same loop, or `{name}` before it",
    why="A dependence is a wait for a semaphore that fires each time the producer runs. Across the "
    "border of a loop the numbers of both do not match. Source: NKI ISA reference, "
    "NkiInstruction.depends_on.",
    wrong="nl.fori_loop(0, n, body)  # body makes a\nb.depends_on(a)",
    right="def body(i):\n    a = nisa.dma_copy(dst=t, src=x)\n"
    "    nisa.tensor_copy(dst=u, src=v).depends_on(a)",
)

NKI1062 = code(
    "NKI1062",
    "tensor or register of another trace",
    "the {thing} `{name}` does not belong to this launch",
    hint="make the {thing} in the kernel that uses it, or pass its contents as an argument",
    why="A tensor stands for memory of the launch in which it was made, or, made by nl.NkiTensor "
    "without storage, for none at all. One that is kept in a list outside of the kernel does not "
    "live on until the next launch.",
    wrong="kept.append(nl.load(x))  # kept is a list outside of the kernel",
    right="tile = nl.load(x)",
)

NKI1063 = code(
    "NKI1063",
    "assignment to an attribute of a tensor",
    "`{name}` of a tensor cannot be assigned or deleted",
    hint="a tensor with another {name} is another tensor: {instead}",
    why="Attributes describe storage and the window onto it that instructions get. Views make new "
    "windows; none changes the one that it is called on.",
    wrong="x.shape = (128, 8, 8)",
    right="x = x.reshape((128, 8, 8))",
)
