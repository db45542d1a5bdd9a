"""A pure table: NKI45xx, lowering KLR to BIR."""

from __future__ import annotations

from opennki.base.diag import code

NKI4501 = code(
    "NKI4501",
    "KLR that is not lowered",
    "unsupported {what} encountered in {statement}: {got}",
    hint="write the kernel with what docs/design/roads.md lists for this operator",
    why="KLR describes more than what reaches BIR: forms of access that only its producers use, "
    "and operators of the machine that kernels do not call. The compiler that reads KLR refuses "
    "them, too.",
    wrong="matMul(dst, moving)",
    right="ncMatMul(dst, stationary, moving, ...)",
)

NKI4502 = code(
    "NKI4502",
    "control flow that is no loop",
    "block {block} of function `{function}` is no part of a loop: {why}",
    hint="leave loops only by the test at their head; docs/design/roads.md shows which blocks a "
    "loop has",
    why="The back end and the simulators know loops, not branches. Blocks become loops again when "
    "they are those of `for` and `while`: a head that only tests, a body that goes back to it.",
    wrong="Block2: cmpBranch x < 3 -> Block4, Block5",
    right="Block2: cmpBranch x == 0 -> Block4, Block3; Block3: ...; always -> Block2",
)

NKI4503 = code(
    "NKI4503",
    "roads that differ",
    "{left} and {right} differ on {target} in {what}",
    hint="one of the two lowerings is wrong, not the kernel: report it with the kernel and its "
    "arguments",
    why="Both roads lower the same instructions from two descriptions. What they make must be the "
    "same but for the names that the compiler makes, so a difference is a mistake of opennki's.",
    wrong="beta2: I-1 = Memset DVE ... {constant=0}; beta3: I-1 = Memset DVE ... {constant=1}",
    right="beta2: I-1 = Memset DVE ... {constant=1}; beta3: I-1 = Memset DVE ... {constant=1}",
)

NKI4504 = code(
    "NKI4504",
    "roads that refuse different things",
    "on {target}, {left} says {first} and {right} says {second}",
    hint="one of the two roads is wrong, not the kernel: report it with the kernel and its "
    "arguments",
    why="What a kernel may say does not depend on the road that it takes.",
    wrong="beta2: NKI4501; beta3: no error",
    right="beta2: NKI2104; beta3: NKI2104",
)
