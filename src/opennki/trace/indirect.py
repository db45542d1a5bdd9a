"""Views whose place depends on a run-time index: `select`, `vector_select`, `ap`, ``x[reg]``."""

from __future__ import annotations

from typing import Any, Final

from opennki.base.codes import NKI3033
from opennki.base.diag import NkiError
from opennki.ir import Index, View
from opennki.penguin.verify import index_problems

from .fault import fault
from .plain import shown
from .registers import VirtualRegister

ONLY_ONE: Final = "the view has one already, and only one is possible"


def is_index(value: object) -> bool:
    """Whether `value` is an index that is known at run time only."""
    return isinstance(value, VirtualRegister | View)


def index_of(
    view: View, source: Any, stride: int, limit: int, *, vector: bool = False, snake: bool = False
) -> Index:
    """The run-time index that `source`, a register or a tile, adds to `view`.

    Args: stride, elements that one is worth; limit, indices are below it.
    Raises: NKI3033 if it cannot be one.
    """
    if view.index is not None:
        raise unusable(ONLY_ONE)
    if isinstance(source, VirtualRegister):
        if source.floating:
            raise unusable(f"the register {source.name} was loaded from float32")
        source = source.view
    if not isinstance(source, View):
        raise unusable(f"it is {shown(source)}")
    made = Index(source, stride, max(1, limit), vector, snake)
    for found in index_problems(view, made):
        raise fault(found.code, **found.facts)
    return made


def unusable(why: str) -> NkiError:
    """The error for an index that cannot be used, to be raised."""
    return fault(NKI3033, why=why)
