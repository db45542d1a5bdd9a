"""Penguin: the tensor-level form that front doors build and `BirCodeGenLoop` lowers."""

from opennki.ir import DynamicLoop, Region, While, walk

from .function import Function, Loop, LoopKind, Statement
from .graph import GRAPH_OPS, AttentionOp, GraphOp, MlpOp, RmsNormOp, SoftmaxOp
from .irbuilder import IRBuilder
from .parser import parse_function
from .printer import print_function, print_instruction
from .substitute import substitute
from .verify import beyond, malformed, verify, view_problems

__all__ = [
    "GRAPH_OPS", "AttentionOp", "DynamicLoop", "Function", "GraphOp", "IRBuilder", "Loop",
    "LoopKind", "MlpOp", "Region", "RmsNormOp", "SoftmaxOp", "Statement", "While", "beyond",
    "malformed", "parse_function", "print_function", "print_instruction", "substitute", "verify",
    "view_problems", "walk",
]  # fmt: skip

Function.__str__ = print_function  # type: ignore[assignment, method-assign]  # printers know it
