"""KLR kernels for tests: one by hand, and random values of any type of the syntax."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from opennki.klr import (
    Abstract,
    AccumCmd,
    ActivationFunc,
    Address,
    AluOp,
    APPair,
    BirAccessPattern,
    BirPattern,
    Block,
    BrCmpOp,
    CmpBranch,
    Dtype,
    Engine,
    FloatImm,
    Imm,
    KlrEnum,
    ListOf,
    LncKernel,
    Memory,
    NcActivate,
    NcCopy,
    Node,
    Operator,
    OptionOf,
    Pos,
    RegisterMove,
    Scalar,
    Shape,
    Stmt,
    TensorName,
    TensorRef,
)
from opennki.klr.floats import from_bits


def tensor(name: str, memory: Memory, *dims: int, dtype: Dtype = Dtype.float32) -> TensorName:
    """A tensor at the start of its memory that is as large as it needs to be."""
    shape = Shape(dims[0], list(dims[1:]))
    free = shape.free_elements
    address = Address(f"{name}.place", memory, dims[0], free * dtype.size)
    return TensorName(name, dtype, shape, address, free)


def whole(of: TensorName) -> TensorRef:
    """All elements of a tensor, as BIR patterns say it."""
    dims = of.shape.dims
    steps = [1]
    for size in reversed(dims[1:]):
        steps.insert(0, steps[0] * size)
    pairs = [APPair(step, num, 0) for step, num in zip(steps, dims, strict=True)]
    return Abstract(BirPattern(BirAccessPattern(of, 0, pairs)))


def sample() -> LncKernel:
    """``out = exp(x)``, ten times in a loop."""
    x, out = tensor("x", Memory.hbm, 128, 512), tensor("out", Memory.hbm, 128, 512)
    tile = tensor("tile", Memory.sbuf, 128, 512)

    def stmt(kind: str, args: Node, name: str | None = None) -> Stmt:
        return Stmt(Operator(kind, args), name, Pos(7, 4, filename="exp.py"))

    begin = [
        stmt("registerMove", RegisterMove("i", 0)),
        stmt("cmpBranch", CmpBranch("", "", 0, BrCmpOp.always, "body", "")),
    ]
    copies = [
        stmt("ncCopy", NcCopy(whole(a), whole(b), None, Engine.dve), name)
        for a, b, name in ((tile, x, "load"), (out, tile, "store"))
    ]
    scale = Imm(FloatImm(1.0))
    act = NcActivate(
        whole(tile), whole(tile), AccumCmd.Idle, ActivationFunc.exp, scale, None, AluOp.add, None,
        Dtype.float32,
    )  # fmt: skip
    body = [copies[0], stmt("ncActivate", act, "exp"), copies[1]]
    body.append(stmt("cmpBranch", CmpBranch("i", "", 10, BrCmpOp.lt_imm, "body", "end")))
    blocks = [Block("begin", False, begin), Block("body", False, body), Block("end", False, [])]
    return LncKernel("exp", [x], [out], [blocks])


@pytest.fixture
def kernel() -> LncKernel:
    return sample()


class Draw:
    """Random values of the types of the syntax; `extensions` says whether beyond the published."""

    def __init__(self, seed: int, extensions: bool) -> None:
        self.rng = random.Random(seed)
        self.extensions = extensions

    def node(self, cls: type[Node], depth: int = 0) -> Node:
        schema = cls.schema
        if schema.constructors:
            choices = [s for s in schema.constructors if self.extensions or not s.extension]
            if depth > 6:  # towards leaves
                fewest = min(len(s.fields) for s in choices)
                choices = [s for s in choices if len(s.fields) <= fewest]
            schema = self.rng.choice(choices)
        values = [
            f.default() if f.extension and not self.extensions else self.value(f.kind, depth + 1)
            for f in schema.fields
            if f.default is not None or not f.extension
        ]
        return schema.build(*values)

    def value(self, kind: Any, depth: int) -> Any:
        rng = self.rng
        if isinstance(kind, Scalar):
            return self.scalar(kind)
        if isinstance(kind, ListOf):
            return [self.value(kind.of, depth) for _ in range(rng.choice((0, 1, 1, 2)))]
        if isinstance(kind, OptionOf):
            return None if rng.random() < 0.5 or depth > 7 else self.value(kind.of, depth)
        if issubclass(kind, KlrEnum):
            return rng.choice([m for m in kind if self.extensions or m.published])
        return self.node(kind, depth)

    def scalar(self, kind: Scalar) -> Any:
        rng = self.rng
        near = rng.choice((0, 1, 23, 24, 255, 256, 65535, 65536, (1 << 31) - 1))
        if kind is Scalar.NAT:
            return rng.choice((near, (1 << 32) - 1, 1 << 32, (1 << 64) - 1))
        if kind is Scalar.INT:
            return rng.choice((near, -near, (1 << 63) - 1, -(1 << 63)))
        if kind is Scalar.I32:
            return rng.choice((near, -near, -(1 << 31)))
        if kind is Scalar.F32:
            bits = rng.choice((rng.getrandbits(32), 0x80000000, 0x7FC00000, 0x7F800001, 0xFF800000))
            return from_bits(bits)
        if kind is Scalar.BOOL:
            return rng.random() < 0.5
        if kind is Scalar.STR:
            return rng.choice(("", "a", "two words", 'q"(;)\n', "ö♥🏎", "x" * 24, "None", "1.5"))
        return bytes.fromhex(rng.choice(("00", "f6", "83010203", "a16161820102", "d9d9f780")))


@pytest.fixture(scope="session")
def draw() -> Callable[[type[Node], int, bool], Node]:
    """Makes a random value of a type: ``draw(cls, seed, extensions)``."""
    return lambda cls, seed, extensions: Draw(seed, extensions).node(cls)
