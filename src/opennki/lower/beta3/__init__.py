"""The beta3 route: Penguin straight to BIR."""

from .loop import BirCodeGenLoop

__all__ = ["BirCodeGenLoop"]
