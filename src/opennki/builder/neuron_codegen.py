"""`NeuronCodegen`: the forward builder of the first road. Appends Penguin instructions."""

from __future__ import annotations

from types import CodeType
from typing import ClassVar

from opennki.penguin import Function
from opennki.target import Target

from .codegen import Codegen


class NeuronCodegen(Codegen):
    """Builds one Penguin `Function`, which is the record itself."""

    penguin: ClassVar[bool] = True
    rolled: ClassVar[bool] = True

    @classmethod
    def begin(
        cls, name: str, target: Target, place: tuple[int, int], kernel_code: CodeType | None
    ) -> NeuronCodegen:
        """A builder of a new function; `place` is its core and how many there are."""
        return cls(Function(name, target, *place), kernel_code)


class UnrolledCodegen(NeuronCodegen):
    """Builds a Penguin `Function` without loops of known trip count: each trip is traced."""

    rolled: ClassVar[bool] = False
