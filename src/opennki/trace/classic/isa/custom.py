"""Operators that are compiled libraries: named, and refused."""

from __future__ import annotations

from typing import Any, NoReturn

from opennki.base.codes import NKI1103
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema.marks import nki_function


@nki_function()
def builtin_custom_op(
    function_name: Any, lib_file_name: Any, ulib_to_ucode_version: Any,
    ulib_to_isa_version: Any, srcs: Any, dsts: Any, **kwargs: Any,
) -> NoReturn:  # fmt: skip
    """Refused: the operator is machine code of GpSimd in a file. Raises: NKI1103.

    Source: NKI 0.1 ISA reference, builtin_custom_op.
    """
    ctx = nki_ctx("nisa.builtin_custom_op")
    raise ctx.refusal(NKI1103, name=repr(function_name), file=repr(lib_file_name))
