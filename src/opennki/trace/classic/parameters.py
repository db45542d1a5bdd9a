"""What the first generation asks of parameters that a kernel writes: that they are mutable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from opennki.base.codes import NKI1022, NKI1097
from opennki.base.diag import Diagnostic, diagnostic, problem
from opennki.base.loc import SrcLoc
from opennki.ir import Inst, Record, Tensor
from opennki.trace.arguments import signature_of

_WHY = "it is not annotated as mutable"


def parameter_problems(
    fn: Callable[..., Any], function: Record[Any], arguments: list[Tensor], returned: SrcLoc
) -> Iterator[Diagnostic]:
    """NKI1022 for parameters that are written and not mutable, NKI1097 for unreturned mutable ones.

    Kernels that return nothing have their outputs as parameters, which need no annotation.
    Args: arguments, in order; returned, where the kernel returns.
    """
    if not function.results:
        return
    mutable = {name for name, p in signature_of(fn).parameters.items() if _mutable(p.annotation)}
    for tensor in arguments:
        if not tensor.written:
            continue
        if tensor.name not in mutable:
            loc = next(_writers(function, tensor)).loc
            yield diagnostic(problem(NKI1022, name=tensor.name, why=_WHY), loc)
        elif tensor.name not in function.results:
            yield diagnostic(problem(NKI1097, name=tensor.name), returned)


def _mutable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return "mutable" in annotation and "immutable" not in annotation
    return getattr(annotation, "__nki_mutable__", False) is True


def _writers(function: Record[Any], tensor: Tensor) -> Iterator[Inst]:
    for inst in function.instructions():
        if any(view.tensor is tensor for view in inst.writes()):
            yield inst
