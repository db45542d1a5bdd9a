"""Routes to BIR."""

from .beta3 import BirCodeGenLoop
from .rules import RULES
from .table import lift

__all__ = ["RULES", "BirCodeGenLoop", "lift"]
