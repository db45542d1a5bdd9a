"""Penguin: the tensor-level form that front doors build and `BirCodeGenLoop` lowers."""

from .function import Function, Loop, LoopKind, Region, Statement, walk

__all__ = ["Function", "Loop", "LoopKind", "Region", "Statement", "walk"]
