"""Meaning of the scalar engine's activation functions: one `ScalarFn` row per function.

Rows take and give float32 arrays and never warn. They are the functions themselves, not the
engine's piecewise cubics (whose exp, for one, is off by up to 1e-5 relative); only `sin`
reproduces what the engine does outside its range, because kernels see it. `domain` holds the
documented input range (of abs(x) when `symmetric`); outside it results are invalid on a device.
``cost="table"`` marks functions that need their coefficient table loaded.

Source: NKI ISA reference, "Supported Activation Functions"; BIR data model for the functions that
only BIR names. Constants such as 0.7978846 are the engine's, hence not written as exact formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from opennki.ir.scalar import Array, ScalarFn

from .enums import ActFunc

_F32: Final = np.float32
_ONE: Final = np.float32(1)
_HALF: Final = np.float32(0.5)
_PI: Final = np.float32(np.pi)
_LARGEST: Final = np.finfo(np.float32).max
_BLOCK: Final = 16384
_LEAKY_SLOPE: Final = np.float32(0.01)
_GELU_CUBIC: Final = np.float32(0.044715)
_SQRT_2_OVER_PI: Final = np.float32(0.79788456)
_SQRT_HALF: Final = np.float32(0.70710678)
_GELU_SIGMOID: Final = np.float32(1.702)
_NORMAL_DENSITY: Final = np.float32(0.3989423)
_ERF_SLOPE: Final = np.float32(1.1283792)

# Minimax fits, found by iteratively reweighted least squares against double precision:
# erf(x) = x + x * P(x^2) up to the cut, 1 - exp(Q(|x|)) from there to 4, where erf rounds to 1.
_ERF_CUT: Final = np.float32(0.9)
_ERF_END: Final = np.float32(4.0)
_ERF_P: Final = (
    0.12837916612625122, -0.37612634897232056, 0.11283715069293976, -0.02686050906777382,
    0.005203858949244022, -0.0008175639086402953, 8.513102511642501e-05,
)  # fmt: skip
_ERF_Q: Final = (
    -0.0001664390874793753, -1.127797245979309, -0.6369760036468506, -0.10411374270915985,
    0.02231524884700775, -0.003065499709919095, 0.00019822070316877216,
)  # fmt: skip


def _poly(x: Array, coefficients: tuple[float, ...]) -> Array:
    """Polynomial by Horner's rule in float32, lowest coefficient first."""
    total: Array = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= x
        total += _F32(c)
    return total


def _finite(x: Array) -> Array:
    """`x` with infinities made finite, so that ``inf * 0`` gives the limit 0; NaN stays."""
    return np.clip(x, -_LARGEST, _LARGEST)


def _erf(x: Array) -> Array:
    """Error function, at most 2 units in the last place off."""
    magnitude = np.clip(np.abs(x), _F32(0), _ERF_END)
    inner = np.clip(magnitude, _F32(0), _ERF_CUT)
    near = inner + inner * _poly(inner * inner, _ERF_P)
    far = _ONE - np.exp(_poly(magnitude, _ERF_Q))
    return np.copysign(np.where(magnitude <= _ERF_CUT, near, far), x)


def _sigmoid(x: Array) -> Array:
    return _ONE / (_ONE + np.exp(-x))


def _softplus(x: Array) -> Array:
    """``log1p(exp(-|x|)) + max(x, 0)``: no overflow."""
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, _F32(0))


def _mish(x: Array) -> Array:
    return _finite(x) * np.tanh(_softplus(x))


def _silu(x: Array) -> Array:
    return _finite(x) * _sigmoid(x)


def _silu_dx(x: Array) -> Array:
    """``s(x) (1 + x s(-x))``, which is e^x (x + e^x + 1) / (e^x + 1)^2 without its overflow."""
    return _sigmoid(x) * (_ONE + _finite(x) * _sigmoid(-x))


def _gelu(x: Array) -> Array:
    """``x/2 (1 + erf(x / sqrt 2))``."""
    return _HALF * _finite(x) * (_ONE + _erf(x * _SQRT_HALF))


def _gelu_dx(x: Array) -> Array:
    """``1/2 (1 + erf(x / sqrt 2)) + x exp(-x^2 / 2) / sqrt(2 pi)``."""
    density = _NORMAL_DENSITY * np.exp(-_HALF * x * x)
    return _HALF * (_ONE + _erf(x * _SQRT_HALF)) + _finite(x) * density


def _gelu_tanh(x: Array) -> Array:
    """``x/2 (1 + tanh(0.79788456 (x + 0.044715 x^3)))``."""
    inner = _SQRT_2_OVER_PI * (x + _GELU_CUBIC * (x * x * x))
    gate: Array = _HALF * (_ONE + np.tanh(inner))
    return _finite(x) * gate


def _gelu_sigmoid(x: Array) -> Array:
    """``x s(1.702 x)``."""
    return _finite(x) * _sigmoid(_GELU_SIGMOID * x)


def _gelu_sigmoid_dx(x: Array) -> Array:
    """``s(c x) (1 + c x s(-c x))`` with c = 1.702."""
    return _silu_dx(_GELU_SIGMOID * x)


def _erf_dx(x: Array) -> Array:
    """``2 / sqrt(pi) exp(-x^2)``."""
    slope: Array = _ERF_SLOPE * np.exp(-(x * x))
    return slope


def _sin(x: Array) -> Array:
    """sin(x) on [-pi, pi]; outside, what the engine does: its last cubic goes on.

    With t = |x| - pi that cubic is ``-t + t^3/6``, taken with the sign of x: sin(9.0) = 27.65.
    Source: NKI ISA reference, note under "Supported Activation Functions".
    """
    t = np.abs(x) - _PI
    outside = t > 0
    if not outside.any():
        return np.sin(x)
    beyond = np.copysign(_ONE, x) * (t * (t * t / _F32(6) - _ONE))
    return np.where(outside, beyond, np.sin(x))


def _rsqrt(x: Array) -> Array:
    return _ONE / np.sqrt(x)


def _prelu(x: Array, alpha: Any) -> Array:
    """``x`` where positive, ``alpha * x`` elsewhere."""
    return np.where(x > 0, x, x * alpha)


def _row(func: ActFunc, nki: str, fn: Callable[..., Array], **columns: Any) -> ScalarFn:
    def run(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return fn(*operands)

    return ScalarFn(func, nki, columns.pop("arity", 1), run, **columns)


def _blocked(fn: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """`fn` by blocks of 64 KiB: its many temporaries then stay in cache, 2 to 4 times faster."""

    def run(x: Array) -> Array:
        if x.size <= _BLOCK:
            return fn(x)
        flat = x.reshape(-1)
        out = np.empty_like(flat)
        for start in range(0, flat.size, _BLOCK):
            out[start : start + _BLOCK] = fn(flat[start : start + _BLOCK])
        return out.reshape(x.shape)

    return run


def _table(func: ActFunc, nki: str, fn: Callable[..., Array], **columns: Any) -> ScalarFn:
    return _row(func, nki, fn, cost="table", **columns)


# Identity and Lrelu (slope 0.01), Abs_reciprocal_sqrt and Is_finite have no NKI name; `nl.copy` is
# Copy. `prelu` takes its slope as a second operand.
_ROWS: Final = (
    _row(ActFunc.Identity, "", lambda x: x),
    _row(ActFunc.Copy, "copy", lambda x: x),
    _row(ActFunc.Square, "square", np.square),
    _row(ActFunc.Abs, "abs", np.abs),
    _row(ActFunc.Sign, "sign", np.sign),
    _row(ActFunc.Relu, "relu", lambda x: np.maximum(x, _F32(0))),
    _row(ActFunc.Lrelu, "", lambda x: _prelu(x, _LEAKY_SLOPE)),
    _row(ActFunc.Prelu, "prelu", _prelu, arity=2),
    _row(ActFunc.Is_finite, "", lambda x: np.isfinite(x).astype(np.float32)),
    _table(ActFunc.Sigmoid, "sigmoid", _sigmoid),
    _table(ActFunc.Tanh, "tanh", np.tanh),
    _table(ActFunc.Exp, "exp", np.exp),
    _table(ActFunc.Softplus, "softplus", _softplus),
    _table(ActFunc.Mish, "mish", _mish),
    _table(ActFunc.Silu, "silu", _silu),
    _table(ActFunc.Derivative_silu, "silu_dx", _blocked(_silu_dx)),
    _table(ActFunc.Gelu, "gelu", _blocked(_gelu)),
    _table(ActFunc.Derivative_Gelu, "gelu_dx", _blocked(_gelu_dx)),
    _table(ActFunc.Gelu_apprx_tanh, "gelu_apprx_tanh", _gelu_tanh),
    _table(ActFunc.Gelu_apprx_sigmoid, "gelu_apprx_sigmoid", _blocked(_gelu_sigmoid)),
    _table(
        ActFunc.Derivative_Gelu_apprx_sigmoid, "gelu_apprx_sigmoid_dx", _blocked(_gelu_sigmoid_dx)
    ),
    _table(ActFunc.Erf, "erf", _blocked(_erf)),
    _table(ActFunc.Derivative_Erf, "erf_dx", _erf_dx),
    _table(ActFunc.Ln, "log", np.log, domain=(2.0**-64, 2.0**64)),
    _table(ActFunc.Sin, "sin", _blocked(_sin), domain=(-np.pi, np.pi)),
    _table(ActFunc.Arctan, "arctan", np.arctan, domain=(-np.pi / 2, np.pi / 2)),
    _table(ActFunc.Sqrt, "sqrt", np.sqrt, domain=(2.0**-116, 2.0**118)),
    _table(ActFunc.Rsqrt, "rsqrt", _rsqrt, domain=(2.0**-87, 2.0**97)),
    _table(
        ActFunc.Abs_reciprocal_sqrt, "", lambda x: _rsqrt(np.abs(x)),
        domain=(2.0**-87, 2.0**97), symmetric=True,
    ),
    _table(
        ActFunc.Reciprocal, "reciprocal", lambda x: _ONE / x,
        domain=(2.0**-42, 2.0**42), symmetric=True,
    ),
)  # fmt: skip

ACT: Final[Mapping[ActFunc, ScalarFn]] = {row.key: row for row in _ROWS}
"""Every activation function. Model: the range of Abs_reciprocal_sqrt is that of Rsqrt."""

_BY_NKI: Final = {row.nki: row for row in _ROWS if row.nki}


def by_nki_name(name: str) -> ScalarFn:
    """The row whose name in `nki.language` is `name`; raises KeyError."""
    return _BY_NKI[name]


def in_domain(func: ActFunc, x: Array) -> Array:
    """Which elements of `x` (float32) lie in the documented input range of `func`; NaN does not."""
    low, high = ACT[func].domain
    value = np.abs(x) if ACT[func].symmetric else x
    return (value >= _F32(low)) & (value <= _F32(high))
