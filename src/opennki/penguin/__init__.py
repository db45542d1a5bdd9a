"""Penguin: the tensor-level form that front doors build and `BirCodeGenLoop` lowers."""

from .function import (
    DynamicLoop,
    Function,
    Loop,
    LoopKind,
    Region,
    Statement,
    While,
    walk,
)
from .irbuilder import IRBuilder
from .ordering import Contradiction, crossing, keep_edges, strangers
from .parser import parse_function
from .printer import print_function, print_instruction
from .substitute import substitute
from .verify import beyond, malformed, verify, view_problems

__all__ = [
    "Contradiction", "DynamicLoop", "Function", "IRBuilder", "Loop", "LoopKind", "Region",
    "Statement", "While", "beyond", "crossing", "keep_edges", "malformed", "parse_function",
    "print_function", "print_instruction", "strangers", "substitute", "verify",
    "view_problems", "walk",
]  # fmt: skip

Function.__str__ = print_function  # type: ignore[assignment, method-assign]  # printers know it
