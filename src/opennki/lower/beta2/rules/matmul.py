"""Matrix products and transposes: all are forms of Matmult on the PE array.

What is not said about accumulation is marked, and settled when the whole function is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from opennki import klr
from opennki.base.dtypes import float8_e8m0fnu, uint8
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.accumulate import DERIVED, UNNOTED
from opennki.lower.beta2.enums import ENGINES, PERF
from opennki.lower.beta2.site import Site

_UNTILED: Final = (-1, -1)


def _matmul(op: klr.NcMatMul, at: Site) -> Instruction:
    attrs = {
        "is_transpose": op.isTranspose,
        "is_fmap_onezero": op.isMovingZero,
        "is_weight_onezero": op.isStationaryOneZero,
        "tile_size": _pair(op.tileSize, "tile_size", at),
        "tile_position": _pair(op.tilePosition, "tile_position", at),
        **_accumulation(op.accumulate),
    }
    if op.perfMode not in PERF:
        raise at.unsupported("perfMode", op.perfMode.klr)
    attrs["perf_mode"] = PERF[op.perfMode]
    ins = [at.view(op.moving), at.view(op.stationary)]
    return at.make("Matmult", Engine.PE, ins, [at.view(op.dst)], attrs)


def _matmul_mx(op: klr.MatMulMX, at: Site) -> Instruction:
    attrs = {
        "tile_size": _pair(op.tileSize or (), "tile_size", at),
        "tile_position": _pair(op.tilePosition or (), "tile_position", at),
        **_accumulation(op.accumulate),
    }
    ins = at.views([op.moving, op.stationary, op.movingScale, op.stationaryScale])
    return at.make("MatmultMx", Engine.PE, ins, [at.view(op.dst)], attrs)


def _accumulation(how: klr.Accumulation) -> dict[str, object]:
    if how is klr.Accumulation.derived:
        return {DERIVED: True}
    if how is klr.Accumulation.perElement:
        return {}
    return {"opennki_accumulate": how is klr.Accumulation.accumulate}


def _pair(sizes: Sequence[int], what: str, at: Site) -> tuple[int, ...]:
    """Two sizes or none. Raises: NKI4501 for another number of them."""
    if len(sizes) not in (0, 2):
        raise at.unsupported(what, str(list(sizes)))
    return tuple(sizes) or _UNTILED


def _quantize(op: klr.QuantizeMX, at: Site) -> Instruction:
    outs = at.views([op.dst, op.dstScale])
    return at.make("QuantizeMx", Engine.DVE, [at.view(op.src)], outs, {})


def _transpose(op: klr.Transpose, at: Site) -> Instruction:
    """On the PE array, a product with the identity matrix; elsewhere a StreamTranspose.

    The compiler that reads KLR expands the first one before, and so refuses it here; and it gives
    16-bit transposes to the PE array whatever the engine. Model: the author's engine stands.
    """
    src, dst = at.view(op.src), at.view(op.dst)
    if op.engine is not klr.Engine.pe:
        return at.make("StreamTranspose", ENGINES[op.engine], [src], [dst], {})
    exact = src.dtype.is_float and src.dtype != float8_e8m0fnu
    size = src.ap[0][1]
    identity = at.storages.identity(src.dtype if exact else uint8, size, at.target.partitions)
    attrs = {"is_transpose": True, "opennki_accumulate": False, UNNOTED: True}
    return at.make("Matmult", Engine.PE, [identity, src], [dst], attrs)


RULES: Final[dict[str, Any]] = {
    "ncMatMul": _matmul, "ncMatMulMX": _matmul_mx, "quantizeMX": _quantize,
    "transpose": _transpose,
}  # fmt: skip
