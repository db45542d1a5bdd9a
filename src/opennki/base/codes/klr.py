"""A pure table: NKI41xx, KLR files and what they hold; NKI42xx, the rules of KLR kernels.

Examples of files are bytes in hexadecimal, examples of kernels are in the S-expression form.
"""

from __future__ import annotations

from opennki.base.diag import code

NKI4101 = code(
    "NKI4101",
    "unexpected bytes in a KLR file",
    "byte {offset} begins {got}, where {expected} is expected (in {where})",
    hint="the file is damaged, or was written by another program for another version: write it "
    "again",
    why="Types, constructors and counts in the file must be those of the syntax, so nothing that "
    "is read is guessed.",
    wrong="d9 68 00 84",
    right="d9 68 00 83",
)

NKI4102 = code(
    "NKI4102",
    "truncated KLR file",
    "the file ends at byte {offset}, where {expected} is expected (in {where})",
    hint="copy or write the file again, it was cut off",
    why="Every value says how long it is or how many values follow.",
    wrong="d9 d9 f7 83 00 00",
    right="d9 d9 f7 83 00 00 0c",
)

NKI4103 = code(
    "NKI4103",
    "not a KLR file",
    "{file} does not begin like a KLR file: its first bytes are {got}, and should be d9 d9 f7 83",
    hint="name a file that `klr` or `opennki` wrote; {advice}",
    why="The first three bytes mark CBOR; the fourth says that three numbers of a version follow.",
    wrong="7f 45 4c 46",
    right="d9 d9 f7 83 00 00 0c",
)

NKI4104 = code(
    "NKI4104",
    "KLR file too large",
    "{what} is {got}; at most {limit} can be read",
    hint="split the kernel, or look for damage near the place",
    why="The bounds keep a damaged or hostile file from using up memory or the stack.",
    wrong="a file of one terabyte",
    right="a file of a few megabytes",
)

NKI4105 = code(
    "NKI4105",
    "value that a KLR file cannot hold",
    "{where} is {got}; a KLR file holds {expected} there",
    hint="give {expected}",
    why="Numbers in files have 32 or 64 bits, and texts are Unicode.",
    wrong="Pos(line=-1)",
    right="Pos(line=1)",
)

NKI4106 = code(
    "NKI4106",
    "unknown format of a KLR file",
    "the file says that its format is `{got}`; known are {known}",
    hint="write the file with a version of opennki that this one can read",
    why="The format names the syntax of what follows.",
    wrong="d9 eb 00 81 63 4e 4b 4a",
    right="d9 eb 00 81 63 4e 4b 49",
)

NKI4107 = code(
    "NKI4107",
    "bytes behind the end of a KLR file",
    "the contents end at byte {offset}, and {count} more bytes follow",
    hint="cut the file there, if what it holds is right",
    why="A file holds a version, a format and one value. What follows has no meaning.",
    wrong="two files, one appended to the other",
    right="two files",
)

NKI4108 = code(
    "NKI4108",
    "extension in a plain KLR file",
    "byte {offset} begins {got}, an extension of opennki, but the format is `NKI` (in {where})",
    hint="the format of a file with extensions is `NKI+opennki`",
    why="A file that says `NKI` can be read by every program that knows the published syntax.",
    wrong="format NKI, operator topk",
    right="format NKI+opennki, operator topk",
)

NKI4109 = code(
    "NKI4109",
    "KLR file without a kernel that can be lowered",
    "the contents are `{kind}`, {what}; `kernel` or `lnc` can be lowered",
    hint="trace it first: `klr trace` makes a kernel of syntax trees",
    why="KLR files also carry earlier stages of a kernel: the syntax trees of Python and of NKI.",
    wrong="klr gather module kernel out.klr, and lowering out.klr",
    right="klr trace out.klr traced.klr, and lowering traced.klr",
)

NKI4110 = code(
    "NKI4110",
    "shared constant that cannot be used",
    "constant `{name}` cannot be read from {file}: {why}",
    hint="keep the directory `shared_constants` beside the KLR file, as it was written",
    why="The file is named by the SHA-256 of dtype, shape and values, so that a change is noticed.",
    wrong="a file of which a byte was changed",
    right="the file as it was written",
)

NKI4111 = code(
    "NKI4111",
    "KLR file that cannot be read",
    "{file} cannot be read: {why}",
    hint="look at its permissions, or copy it to another disk",
    why="The system refused to give the contents of the file.",
    wrong="chmod 0 softmax.klr; opennki klr info softmax.klr",
    right="chmod 600 softmax.klr; opennki klr info softmax.klr",
)

NKI4201 = code(
    "NKI4201",
    "KLR statement behind a branch",
    "block `{block}` goes on after its branch, statement {position} of {count}",
    hint="end the block with the branch, and begin another one",
    why="A branch ends a block, so that the blocks of a kernel are the nodes of its control flow.",
    wrong="((label a) (noReorder false) (body (branch copy)))",
    right="((label a) (noReorder false) (body (branch))) ((label b) (noReorder false) (body "
    "(copy)))",
)

NKI4202 = code(
    "NKI4202",
    "KLR no-reorder block with control flow",
    "no-reorder block `{block}` {why}",
    hint="jump to the next block at its end, and branch there",
    why="Dynamic control flow cannot be nested with a no-reorder block: it runs from its begin to "
    "its end, which is an unconditional branch.",
    wrong="((label a) (noReorder true) (body (copy)))",
    right="((label a) (noReorder true) (body (copy jump)))",
)

NKI4203 = code(
    "NKI4203",
    "KLR tensor that does not fit its memory",
    "tensor `{name}` does not fit within memory location `{address}`: {why}",
    hint="make the location as large as the tensor",
    why="A location is a number of partitions with the same number of bytes in each.",
    wrong="(shape ((parDim 128) (freeDims (512)))) (address (... (parSize 64) (freeSize 2048)))",
    right="(shape ((parDim 128) (freeDims (512)))) (address (... (parSize 128) (freeSize 2048)))",
)

NKI4204 = code(
    "NKI4204",
    "KLR name with two meanings",
    "{kind} `{name}` is described in two ways: its {field} is {one}, and {other} elsewhere",
    hint="give one of them another name",
    why="Every access repeats the description of its tensor. Equal names mean the same memory.",
    wrong="(name t) (dtype float32), and (name t) (dtype int32)",
    right="(name t) (dtype float32), and (name u) (dtype int32)",
)

NKI4205 = code(
    "NKI4205",
    "KLR access from a partition between quadrants",
    "the access to `{name}` starts at partition {got}; on chip it may start at 0, 32, 64 or 96",
    hint="start at a multiple of 32",
    why="Engines reach on-chip memory in quadrants of 32 partitions.",
    wrong="(parOffset 16)",
    right="(parOffset 32)",
)

NKI4206 = code(
    "NKI4206",
    "KLR access outside of its tensor",
    "the access to `{name}` of shape {shape} {why}",
    hint="access what the tensor has",
    why="Offsets and steps count elements of the whole tensor in row-major order.",
    wrong="(offset 0) (pattern (((step 1) (num 65) (offset 0)))), of 64 elements",
    right="(offset 0) (pattern (((step 1) (num 64) (offset 0)))), of 64 elements",
)

NKI4207 = code(
    "NKI4207",
    "KLR register that is never set",
    "register `{name}` is read by {op}, and nothing sets it",
    hint="did you mean `{close}`?; set it by registerMove, tensorLoad or registerAluOp",
    why="Registers hold nothing when a kernel begins.",
    wrong="(tensorStore (op ((dst ...) (src j)))), and nothing sets j",
    right="(registerMove (op ((dst j) (imm 0)))), and then (tensorStore (op ((dst ...) (src j))))",
)

NKI4208 = code(
    "NKI4208",
    "KLR operands whose numbers do not match",
    "{op} has {got} {what}, and must have {expected}",
    hint="give {expected}",
    why="What is sent and what is received are paired in order.",
    wrong="(allReduce (op ((dsts (a b)) (srcs (c)))))",
    right="(allReduce (op ((dsts (a b)) (srcs (c d)))))",
)

NKI4209 = code(
    "NKI4209",
    "KLR access that loses its meaning when it is lowered",
    "the access to `{name}` cannot become a BIR pattern: {why}",
    hint="write it as a BIR pattern, which says every step",
    why="The published lowering takes the row-major stride of a dimension as its step, so a slice "
    "with another step would read other elements, and clamps a negative offset to 0.",
    wrong="(slice (slice ((l 0) (u 8) (step 2))))",
    right="(birPattern ...) with the pair (step 2) (num 4)",
)

NKI4210 = code(
    "NKI4210",
    "KLR statement ordered after itself",
    "the edges say that statement `{name}` runs after itself",
    hint="remove it from its own `toEdges`",
    why="Statements in `toEdges` run after `fromEdge`.",
    wrong="((fromEdge a) (toEdges (a)))",
    right="((fromEdge a) (toEdges (b)))",
)
