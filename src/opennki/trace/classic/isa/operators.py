"""What kernels of the first generation write for operators: NumPy's functions as well as NKI's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from opennki.isa import act, alu
from opennki.isa.enums import ActFunc, AluOp

NUMPY_NAMES: Final = {
    "absolute": "abs",
    "amax": "maximum",
    "amin": "minimum",
    "bitwise_not": "invert",
    "max": "maximum",
    "min": "minimum",
    "prod": "multiply",
    "remainder": "mod",
    "sum": "add",
    "true_divide": "divide",
}
"""What NKI calls an operator that has another name in NumPy, or as a reduction."""

_FUNCTIONS: Final = {row.nki: key for key, row in act.ACT.items() if row.nki}


def alu_op(value: Any) -> Any:
    """The ALU operator that `value` stands for; `value` itself if it is none that is known here.

    ``np.add`` and ``np.max`` are operators, and so are reductions of the language such as `nl.sum`.
    Source: NKI 0.1 ISA reference, whose examples write both.
    """
    name = _name(value)
    if isinstance(value, AluOp) or hasattr(value, "__nki_alu__") or not name:
        return value
    try:
        return alu.by_nki_name(NUMPY_NAMES.get(name, name)).key
    except KeyError:
        return value


def act_func(value: Any) -> Any:
    """The activation function that `value` stands for; `value` itself if it is none known here."""
    name = _name(value)
    if isinstance(value, ActFunc) or hasattr(value, "__nki_act__") or not name:
        return value
    return _FUNCTIONS.get(NUMPY_NAMES.get(name, name), value)


def _name(value: Any) -> str:
    """Name of a function of NumPy or of the language; empty for anything else."""
    ours = hasattr(value, "__nki_function__")
    module = (getattr(value, "__module__", None) or "").partition(".")[0]
    if ours or isinstance(value, np.ufunc) or (callable(value) and module == "numpy"):
        return str(getattr(value, "__name__", ""))
    return ""
