"""Emit methods of what cores do together: a barrier names a tensor without writing it."""

from __future__ import annotations

from typing import Any

from opennki.ir import Inst, View
from opennki.isa.cores import CoreBarrierOp

_BARRIER: Any = CoreBarrierOp  # called with its fields in order, as every generated method does


class CoresEmit:
    """Mixin of `NeuronCodegen` for core_barrier."""

    add_named_instruction: Any

    def core_barrier(self, data: View, *fields: Any) -> Inst:
        """Append a `CoreBarrierOp`; arguments are its fields in order, the engine, the name."""
        made: Inst = self.add_named_instruction(_BARRIER(data, *fields))
        return made
