"""Functions of the scalar engine, as calls of the first generation."""

from __future__ import annotations

from opennki.base.codes import NKI1008
from opennki.ir import Space
from opennki.trace.classic.tiles import ClassicTensor

from .call import Call, published


@published(
    "op, data, *, bias=None, scale=1.0, reduce_op=None, reduce_res=None, "
    "reduce_cmd=reduce_cmd.idle, mask=None, dtype=None, buffer=None, name=None"
)
def activation(call: Call) -> ClassicTensor:
    """A new tile: ``op(data * scale + bias)``, and a sum over partitions in the accumulators.

    Source: NKI 0.1 ISA reference, activation, which has the result in SBUF unless `buffer` says
    otherwise.
    """
    return activated(call)


@published(
    "op, data, *, reduce_op, reduce_res, bias=None, scale=1.0, mask=None, dtype=None, "
    "buffer=None, name=None"
)
def activation_reduce(call: Call) -> ClassicTensor:
    """A new tile: ``op(data * scale + bias)``; its sum over each partition goes to `reduce_res`.

    Source: NKI 0.1 ISA reference, activation_reduce.
    """
    return activated(call)


def activated(call: Call) -> ClassicTensor:
    """The result of a call of the instruction activation or activation_reduce."""
    x, buffer = call.tile("data"), call["buffer"]
    if buffer is not None and not (isinstance(buffer, Space) and buffer.on_chip):
        facts = {"fn": call.spec.call, "expected": "nl.sbuf or nl.psum", "got": repr(buffer)}
        raise call.ctx.refusal(NKI1008, name="buffer", operand="buffer", **facts)
    vectors = {name: call.vector(name) for name in ("bias", "scale", "reduce_res")}
    dst, where = call.like(x), call.part(x)
    call.emit(
        where, dst=where.of(dst), data=where.of(x),
        **{name: where.rows(value) for name, value in vectors.items()},
    )  # fmt: skip
    return dst
