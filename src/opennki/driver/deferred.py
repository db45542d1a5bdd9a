"""Kernels in functions that JAX traces: compiled at once, executed whenever the function is."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI1022
from opennki.base.diag import fail
from opennki.base.loc import current
from opennki.base.numerics import storage
from opennki.interop import jax_arrays
from opennki.trace import NkiTensor

from .arrays import to_numpy
from .compiled import Compiled, rebuilt
from .observe import record, show_warnings

Array = NDArray[Any]


def traced(callers: Sequence[Any]) -> bool:
    """Whether JAX knows no values of one of the arrays (`jax.jit`, `jax.eval_shape`)."""
    return any(jax_arrays.is_traced(a) for a in callers)


def defer(compiled: Compiled) -> Any:
    """Results of a call of which JAX traces some arrays; the others keep their present values.

    Raises: NkiError for what compiling down to the level that is run refuses; NKI1022 if the kernel
        writes an argument; NKI1048 where JAX derives or maps the function.
    """
    first = compiled.traces[0]
    for tensor in (tensor for trace in compiled.traces for tensor, _ in trace.arrays):
        if tensor.written:
            why = "functions that JAX traces change no arrays"
            raise fail(NKI1022, current(None), name=tensor.name, why=why)
    if compiled.options.level == "program":
        compiled.program  # noqa: B018 - what it refuses is named now, not when JAX runs it
    callers = [array for _, array in first.arrays]
    fixed = [
        None if jax_arrays.is_traced(array) else np.array(to_numpy(array, tensor.name))
        for tensor, array in first.arrays
    ]
    context = copy_context()

    def run(values: Sequence[Array]) -> list[Array]:
        given = iter(values)
        arrays = tuple(next(given) if kept is None else kept for kept in fixed)
        return context.copy().run(_executed, compiled, arrays)

    assert first.results is not None  # a kernel without results writes an argument
    shapes = [_shape(view, compiled.options.precise) for view in first.results.leaves]
    operands = [array for array in callers if jax_arrays.is_traced(array)]
    made = iter(jax_arrays.deferred(compiled.kernel, run, shapes, operands))
    return first.results.rebuild(lambda view: next(made))


def _executed(compiled: Compiled, arrays: tuple[Array, ...]) -> list[Array]:
    """What one execution gives, in order."""
    outcome = compiled.outcome(arrays)
    record(compiled, outcome)
    show_warnings(outcome.diagnostics)
    leaves: list[Array] = []
    rebuilt(outcome.results, leaves.append)
    return leaves


def _shape(view: NkiTensor, precise: bool) -> jax_arrays.Shape:
    stored = np.dtype(np.bool_) if view.dtype == "bool" else storage(view.dtype, precise)
    return jax_arrays.Shape(tuple(view.shape), stored)
