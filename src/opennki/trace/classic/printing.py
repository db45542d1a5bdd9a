"""`device_print`, and what of the language has no meaning for tiles that are made here."""

from __future__ import annotations

from typing import Any, NoReturn

from opennki.base.codes import NKI1126
from opennki.ir import HBM, SBUF
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema import debug
from opennki.trace.sema.marks import nki_function

from .calls import Masked, operand


@nki_function()
def device_print(print_prefix: Any, x: Any, *, mask: Any = None) -> None:
    """Print the elements of `x`, in SBUF or HBM, that `mask` leaves when the device gets there.

    Raises: as `nki.language.device_print`.
    """
    data = operand(nki_ctx("nl.device_print"), "device_print", "x", x, SBUF | HBM)
    masked = Masked(data.shape, mask)
    if not masked.nothing:
        debug.device_print(print_prefix, masked.of(data))


@nki_function()
def scalar(value: Any, dtype: Any = None) -> NoReturn:
    """Refused: conditions that only the device knows need a loop of its own. Raises: NKI1126."""
    instead = "decide in Python, or with nl.where and masks"
    raise fault(NKI1126, name="nl.scalar", instead=instead)


class Limits:
    """``nl.fp32``: the least and the largest finite float32."""

    min = -3.4028234663852886e38
    max = 3.4028234663852886e38


fp32 = Limits()
