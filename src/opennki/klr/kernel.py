"""Kernels of KLR: statements, blocks, the kernel of one core and of several, and what a file holds.

Source: KLR abstract syntax, "Containers" and "File format".
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Final

from opennki.base.loc import UNKNOWN, SrcLoc

from .operators import Operator
from .syntax import Bool, Nat, Node, Opaque, Str, constructor, extension, node, union, unwired
from .tensors import TensorName


@node(100)
class Pos(Node):
    """A place in the source of a kernel; lines count from 1."""

    line: Nat
    column: Nat = 0
    lineEnd: Nat | None = None
    columnEnd: Nat | None = None
    filename: Str | None = None


@node(103, constructor="oper")
class Stmt(Node):
    """One operator, with the name of the statement. `loc` is `pos` with its callers."""

    op: Operator
    name: Str | None
    pos: Pos
    loc: SrcLoc = unwired(default=UNKNOWN)


@node(104)
class Block(Node):
    """Statements that run one after another; with `noReorder`, in exactly this order.

    `begins` names PSUM tensors that begin anew whenever the block is entered.
    """

    label: Str
    noReorder: Bool
    body: list[Stmt]
    begins: list[Str] = extension(default_factory=list)


@node(105)
class Kernel(Node):
    """A kernel of one core."""

    name: Str
    inputs: list[TensorName]
    outputs: list[TensorName]
    body: list[Block]


@node(106)
class SharedConstantFile(Node):
    """A constant tensor and the file with its values."""

    name: Str
    fileName: Str


@node(107)
class Edges(Node):
    """Statements in `toEdges` run after `fromEdge`, on the given core or on each that has them."""

    fromEdge: Str
    toEdges: list[Str]
    core: Nat | None = extension(default=None)


@node(108)
class LncKernel(Node):
    """A kernel of a logical core: one body for each physical core.

    `constants` are the contents of `sharedConstants` by name, as NumPy arrays of their dtype.
    """

    name: Str
    inputs: list[TensorName]
    outputs: list[TensorName]
    bodies: list[list[Block]]
    sharedConstants: list[SharedConstantFile] = field(default_factory=list)
    sharedBuffers: list[TensorName] = field(default_factory=list)
    edges: list[Edges] = field(default_factory=list)
    constants: dict[str, Any] = unwired(default_factory=dict)


@node(0xD9)
class KLRFile(Node):
    """The version of a file. Its tag and constructor index together mark CBOR."""

    major: Nat = 0
    minor: Nat = 0
    patch: Nat = 12


KLRFile.schema.index = 0xF7

VERSION: Final = (0, 0, 12)
"""The version of files that is written and read here."""

PLAIN: Final = "NKI"
"""The format of files without extensions."""

OLDER: Final = "KLR"
"""The format of files that hold syntax trees or call sites, and never a kernel.

Source: files of klr-lang 0.0.12, which number call sites 2 and know no kernels.
"""

EXTENDED: Final = "NKI+opennki"
"""The format of files that use our extensions."""


@node(0xEB)
class KLRMetaData(Node):
    """Which format the contents are in."""

    format: Str = PLAIN


@union(0xEC)
class Contents(Node):
    """What a file holds."""

    __slots__ = ()


@constructor("python")
class PythonContents(Contents):
    """A kernel as the syntax tree of Python, which is not modelled here."""

    kernel: Opaque


@constructor("nki")
class NkiContents(Contents):
    """A kernel as the syntax tree of NKI, which is not modelled here."""

    kernel: Opaque


@constructor("kernel")
class KernelContents(Contents):
    """A kernel of one core."""

    kernel: Kernel


@constructor("lnc")
class LncContents(Contents):
    """A kernel of a logical core."""

    kernel: LncKernel


@constructor("hlo")
class HloContents(Contents):
    """What a call site in a graph holds: the name of a kernel."""

    name: Str
