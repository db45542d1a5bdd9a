"""Penguin: the tensor-level form that front doors build and `BirCodeGenLoop` lowers."""

from .function import Function, Loop, LoopKind, Region, Statement, walk
from .irbuilder import IRBuilder
from .parser import parse_function
from .printer import print_function, print_instruction
from .verify import verify

__all__ = [
    "Function", "IRBuilder", "Loop", "LoopKind", "Region", "Statement", "parse_function",
    "print_function", "print_instruction", "verify", "walk",
]  # fmt: skip
