"""JAX's arrays: their values as NumPy arrays, and kernels inside of functions that JAX traces."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI1010, NKI1048
from opennki.base.diag import fail
from opennki.base.loc import current

Array = NDArray[Any]


def matches(value: object) -> bool:
    """Whether `value` is a JAX array, or stands for one while JAX traces."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def is_traced(value: object) -> bool:
    """Whether `value` stands for an array of which JAX knows no values yet (`jax.jit`)."""
    return matches(value) and isinstance(value, sys.modules["jax"].core.Tracer)


def to_numpy(array: Any, name: str) -> Array:
    """The values of `array`, the argument `name`; on the CPU its own memory.

    Raises: NKI1010 for an array without values: one that JAX traces, or that was deleted.
    """
    if is_traced(array):
        raise _refused(name, "a JAX array that is being traced", "its values are not known yet")
    try:
        return np.asarray(array)
    except RuntimeError as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise _refused(name, "a JAX array without values", why) from None


def from_numpy(array: Array) -> Any:
    """A JAX array with the values of `array`, on JAX's default device."""
    return sys.modules["jax"].numpy.asarray(array)


class Shape(NamedTuple):
    """What JAX knows of a result before the kernel runs."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def deferred(
    kernel: str, run: Callable[[Sequence[Array]], list[Array]], results: Sequence[Shape],
    arrays: Sequence[Any],
) -> list[Any]:  # fmt: skip
    """Results of a kernel that runs whenever the function that JAX is tracing does.

    Args: kernel, its name; run, values of `arrays` -> values of the results, called once per
        execution on a thread of JAX's; results; arrays, of which JAX traces at least one.
    Raises: NKI1048, now or when JAX transforms the function later, for `jax.vmap` and derivatives.
    """
    import jax
    from jax.custom_batching import custom_vmap

    shapes = tuple(jax.ShapeDtypeStruct(r.shape, r.dtype) for r in results)

    def host(*values: Any) -> tuple[Array, ...]:
        return tuple(run([np.asarray(value) for value in values]))

    def call(*operands: Any) -> Any:
        return jax.pure_callback(host, shapes, *operands)

    def refuse(what: str, instead: str) -> Callable[..., Any]:
        def rule(*unused: Any) -> Any:
            raise fail(NKI1048, current(None), kernel=kernel, what=what, instead=instead)

        return rule

    loop = "loop over the axis, or give the kernel the whole array"
    single = custom_vmap(call)
    single.def_vmap(refuse("mapped by jax.vmap", loop))
    underived = jax.custom_jvp(single)
    underived.defjvp(refuse("differentiated", "say what its gradient is with jax.custom_vjp"))
    return list(underived(*arrays))


def _refused(name: str, got: str, why: str) -> Exception:
    return fail(NKI1010, current(None), name=name, got=got, why=why)
