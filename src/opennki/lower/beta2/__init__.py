"""The second road: KLR to BIR."""

from .control import branched, structured
from .klir import KlirToBirCodegen

__all__ = ["KlirToBirCodegen", "branched", "structured"]
