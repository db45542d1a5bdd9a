"""Names that the body of a loop binds to a new tile, and that its next trip would read first.

Python runs the body once for all trips, so each of them would read the tile from before the loop.
"""

from __future__ import annotations

import dis
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from opennki.base.codes import NKI1092
from opennki.base.diag import NkiError, diagnostic, problem
from opennki.ir import Tensor
from opennki.trace.values import NkiTensor

if TYPE_CHECKING:
    from .loops import Body


def tiles_of(frame: FrameType) -> dict[str, Tensor]:
    """The tensors that local names of `frame` stand for."""
    return {n: v.tensor for n, v in frame.f_locals.items() if isinstance(v, NkiTensor)}


def check_rebound(frame: FrameType, before: dict[str, Tensor], body: Body) -> None:
    """Raises: NKI1092 for a name that one trip binds to a new tile and the next one reads first.

    Args: before, what names stood for when `body`, which now has ended, began.
    """
    if body.trips == 1 or not body.born:
        return
    for name, tensor in tiles_of(frame).items():
        old = before.get(name)
        if old is None or old is tensor or old.retired or tensor not in body.born:
            continue
        if _read_first(frame.f_code, frame.f_lasti, name):
            facts: dict[str, Any] = {"loop": body.name, "line": body.loc.line}
            found = problem(NKI1092, name=name, made=old.loc.line, **facts)
            raise NkiError([diagnostic(found, tensor.loc)])


def _read_first(code: CodeType, at: int, name: str) -> bool:
    """Whether the body of the ``for`` at the bytecode `at` reads `name` before it binds it.

    `at` may be the place of FOR_ITER or, from 3.11 on, of its inline cache.
    """
    end = -1
    for op in dis.get_instructions(code):
        if op.opname == "FOR_ITER" and op.offset <= at:
            end = op.argval
        elif at < op.offset < end:
            names = op.argval if isinstance(op.argval, tuple) else (op.argval,)
            if name in names:
                first = op.opname.split("_FAST_")[names.index(name)]
                return first.startswith("LOAD")
    return False
