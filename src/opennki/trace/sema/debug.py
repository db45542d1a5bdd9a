"""Looking at values while a kernel runs: `device_print`."""

from __future__ import annotations

from typing import Any

from opennki.ir import HBM, SBUF
from opennki.isa.move import NeuronPrintInst
from opennki.trace.nki_ctx import nki_ctx

from .bind import bind
from .marks import nki_function
from .operands import tile, wrong_type


@nki_function()
def device_print(print_prefix: Any, tensor: Any) -> None:
    """Print `tensor`, in SBUF or HBM, under the heading `print_prefix` when the device gets there.

    Raises: NKI1007 if the prefix is no string, NKI2105 if the tensor is in PSUM.
    """
    ctx = nki_ctx("nl.device_print")
    if not isinstance(print_prefix, str):
        raise wrong_type(ctx, "device_print", "print_prefix", "a string", print_prefix)
    source = tile(ctx, "device_print", "tensor", tensor, SBUF | HBM)
    bind(ctx, NeuronPrintInst, (source, print_prefix), None, None)
