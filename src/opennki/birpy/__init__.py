"""BIR: the back end's instruction form that both routes converge on."""

from .access import AccessPattern, Argument, DynamicIndex, Immediate
from .affine import BirAffineExpr
from .compare import Difference, difference
from .enums import CopyMode, DeviceBuffer, MemsetMode, QosClass, TransposeOp, TSCMode
from .instruction import EdgeKind, Instruction
from .memloc import MemoryLocation, MemoryType, TensorKind
from .module import BasicBlock, DynamicLoop, Function, Loop, Module, While
from .opcodes import OPCODES, attribute
from .parser import parse_module
from .printer import print_instruction, print_memloc, print_module
from .serde import dumps, from_json, loads, to_json
from .verify import verify

__all__ = [
    "OPCODES", "AccessPattern", "Argument", "BasicBlock", "BirAffineExpr", "CopyMode",
    "DeviceBuffer", "Difference", "DynamicIndex", "DynamicLoop", "EdgeKind", "Function",
    "Immediate", "Instruction", "Loop", "MemoryLocation", "MemoryType", "MemsetMode", "Module",
    "QosClass", "TSCMode", "TensorKind", "TransposeOp", "While", "attribute", "difference", "dumps",
    "from_json", "loads", "parse_module", "print_instruction", "print_memloc", "print_module",
    "to_json", "verify",
]  # fmt: skip

Module.__str__ = print_module  # type: ignore[assignment, method-assign]  # printers know it
