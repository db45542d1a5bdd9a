"""What the author asks of a loop's instructions: `nki.compiler.no_reorder` as ``directives=``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from opennki.base.codes import NKI1007
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import shown

T = TypeVar("T")


class NoReorder:
    """``nki.compiler.no_reorder()``: instructions keep their order.

    It holds for what is inside of ``with nki.compiler.no_reorder():``, or for the body of a loop
    that has it as ``directives=``.
    """

    def __init__(self) -> None:
        self._regions: list[AbstractContextManager[None]] = []

    def __enter__(self) -> None:
        region: AbstractContextManager[None] = nki_ctx(
            "nki.compiler.no_reorder"
        ).builder.no_reorder()
        region.__enter__()
        self._regions.append(region)

    def __exit__(self, *raised: Any) -> None:
        self._regions.pop().__exit__(*raised)


def directed(
    fn: str, indices: Iterator[T], directives: Any, in_order: bool = False
) -> Iterator[T]:  # fmt: skip
    """`indices`, the body of each of which is traced under `directives`, or `in_order`.

    Raises: NKI1007 for a directive that there is none of.
    """
    if directives is None:
        return _ordered(indices, NoReorder()) if in_order else indices
    given = directives if isinstance(directives, list | tuple) else [directives]
    for one in given:
        if one is not None and not isinstance(one, NoReorder):
            expected = "nki.compiler.no_reorder()"
            raise fault(NKI1007, name="directives", fn=fn, expected=expected, got=shown(one))
    order = next((one for one in given if one is not None), None)
    return indices if order is None else _ordered(indices, order)


def _ordered(indices: Iterator[T], order: NoReorder) -> Iterator[T]:
    """`indices`, the body of each of which keeps its order."""
    for index in indices:
        with order:
            yield index
