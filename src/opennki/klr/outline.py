"""KLR for people: one statement on one line, and what a file holds in numbers and names.

Nothing reads these texts back; that is what the JSON and the S-expression form are for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from opennki.base.text import number_text

from .kernel import Contents, Kernel, KernelContents, LncContents, LncKernel, Stmt
from .syntax import KlrEnum, Node, walk
from .tensors import (
    Abstract,
    AccOffset,
    BirAccessPattern,
    BirPattern,
    FloatImm,
    Imm,
    IntImm,
    NatImm,
    RegOffset,
    Simple,
    TensorName,
    Tile,
)

_WRAPPERS: Final = (Abstract, BirPattern, Imm, Tile, Simple, IntImm, FloatImm, NatImm)
"""Constructors that are not spelled out: what they hold says which they are."""


def outline(stmt: Stmt) -> str:
    """A statement on one line: ``tensorScalar dst=tile src=x[0; 8*128, 1*4] imm0=2.0 op0=mult``.

    An access is ``tensor[offset; step*num, ...]:dtype`` as in BIR's text, and only the name if it
    is the whole tensor; a run-time offset follows after a semicolon. Absent operands are left out.
    """
    name = f"{stmt.name} = " if stmt.name is not None else ""
    return name + " ".join([stmt.op.kind, *_pairs(stmt.op.args, "{}={}")])


def _pairs(value: Node, form: str) -> Iterator[str]:
    for f in value.wire().fields:
        held = getattr(value, f.attr)
        extra = f.extension and f.default is not None and held == f.default()
        if held is not None and not extra:
            yield form.format(f.name, _text(held))


def _text(value: Any) -> str:
    if isinstance(value, TensorName):
        return value.name
    if isinstance(value, BirAccessPattern):
        return _access(value)
    if isinstance(value, _WRAPPERS):
        return _text(getattr(value, value.wire().fields[0].attr))
    if isinstance(value, KlrEnum):
        return value.klr
    if isinstance(value, Node):
        inner = ", ".join(_pairs(value, "{}={}"))
        name = value.wire().name if value.wire().variant else ""
        return f"{name}({inner})" if inner or not name else name
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return number_text(value) if isinstance(value, int | float) else str(value)


def _access(access: BirAccessPattern) -> str:
    tensor, override = access.tensor, access.dtypeOverride
    dtype = "" if override in (None, tensor.dtype) else f":{override}"
    pairs = [(pair.step, pair.num) for pair in access.pattern]
    index = _index(access)
    if not access.offset and not index and pairs == list(_rows(tensor)):
        return f"{tensor.name}{dtype}"
    shown = ", ".join(f"{step}*{num}" for step, num in pairs)
    return f"{tensor.name}[{access.offset}; {shown}{index}]{dtype}"


def _index(access: BirAccessPattern) -> str:
    """The run-time offset of an access."""
    scalar, vector = access.scalarOffset, access.vectorOffset
    if scalar is None and vector is None:
        return ""
    if isinstance(scalar, RegOffset):
        source = scalar.r
    else:
        source = _text(scalar.a if isinstance(scalar, AccOffset) else vector)
    kind = "snake " if access.snake else "each " if vector is not None else ""
    stride = "" if access.indexStride is None else f"*{access.indexStride}"
    limit = "" if access.indexLimit is None else f" < {access.indexLimit}"
    return f"; {kind}{source}{stride}{limit} along {access.indirectDim}"


def _rows(tensor: TensorName) -> Iterator[tuple[int, int]]:
    """The pairs that walk over a whole tensor, row by row."""
    step = 1
    for size in tensor.shape.dims:
        step *= size
    for size in tensor.shape.dims:
        step //= size or 1
        yield step, size


@dataclass(frozen=True)
class Summary:
    """What a file holds.

    Attributes: kind of the contents; name of the kernel; inputs and outputs, tensors; cores;
    blocks and edges, their number; operators, statements by operator, in order of first appearance;
    named, statements that have a name; extensions, parts of the syntax that are ours, with the
    number of times that they are used; constants, names of the shared constants; buffers, names of
    the shared buffers.
    """

    kind: str
    name: str = ""
    inputs: tuple[TensorName, ...] = ()
    outputs: tuple[TensorName, ...] = ()
    cores: int = 0
    blocks: int = 0
    edges: int = 0
    operators: tuple[tuple[str, int], ...] = ()
    named: int = 0
    extensions: tuple[tuple[str, int], ...] = ()
    constants: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()


def summary(contents: Contents) -> Summary:
    """What `contents` hold; of those that are no kernel, only their kind is known."""
    kind = contents.wire().name
    if not isinstance(contents, (KernelContents, LncContents)):
        return Summary(kind, getattr(contents, "name", ""))
    kernel: Kernel | LncKernel = contents.kernel
    bodies = kernel.bodies if isinstance(kernel, LncKernel) else [kernel.body]
    blocks = [block for body in bodies for block in body]
    statements = [stmt for block in blocks for stmt in block.body]
    more: dict[str, Any] = {}
    if isinstance(kernel, LncKernel):
        more = {
            "edges": len(kernel.edges), "buffers": tuple(t.name for t in kernel.sharedBuffers),
            "constants": tuple(c.name for c in kernel.sharedConstants),
        }  # fmt: skip
    return Summary(
        kind, kernel.name, tuple(kernel.inputs), tuple(kernel.outputs), len(bodies), len(blocks),
        operators=tuple(Counter(stmt.op.kind for stmt in statements).items()),
        named=sum(stmt.name is not None for stmt in statements),
        extensions=tuple(Counter(used_extensions(contents)).items()), **more,
    )  # fmt: skip


def used_extensions(root: object) -> Iterator[str]:
    """Each use of what the published syntax has not: ``operator topk``, ``field Edges.core``."""
    for at in walk(root):
        schema = at.wire()
        owner = type(at).__name__
        if schema.extension:
            kind = "operator" if owner == "Operator" else f"constructor of {_union(at)}:"
            yield f"{kind} {schema.name}"
        for f in schema.fields:
            value = getattr(at, f.attr)
            if f.extension and f.default is not None and value != f.default():
                yield f"field {owner}.{f.name}"
            if isinstance(value, KlrEnum) and not value.published:
                yield f"member {type(value).__name__}.{value.klr}"


def _union(at: Node) -> str:
    base = at.wire().base
    return type(at).__name__ if base is None else base.__name__
