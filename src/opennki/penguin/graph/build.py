"""`GraphBuilder`: the methods of `IRBuilder` that append graph ops, one for each op."""

from __future__ import annotations

from typing import Any

from opennki.base.diag import NkiError, Problem, Severity, diagnostic
from opennki.base.loc import SrcLoc
from opennki.ir import Inst, Space, Tensor, View, describe, problems
from opennki.isa.enums import ActFunc
from opennki.penguin.function import Function

from .attention import AttentionOp
from .mlp import MlpOp
from .normalize import RmsNormOp, SoftmaxOp
from .op import GraphOp


class GraphBuilder:
    """Appends graph ops.

    Every method returns the result: `dst` if it is given, else a new tensor in HBM, called `name`
    or after the op. Raises: NkiError with every rule that the op breaks; NKI4004 when the tensor's
    name is taken, NKI4005 when an operand is no tensor of the function.
    """

    function: Function
    loc: SrcLoc

    def tensor(self, tensor: Tensor) -> View:
        """See `IRBuilder`."""
        raise NotImplementedError

    def insert_inst(self, inst: Inst) -> Inst:
        """See `IRBuilder`."""
        raise NotImplementedError

    def softmax(
        self, src: View, axis: int = -1, *, dst: View | None = None, name: str = ""
    ) -> View:
        """Softmax of `src` along `axis`: see `SoftmaxOp`."""
        return self._graph_op(SoftmaxOp, {"src": src}, {"axis": axis}, dst, name)

    def rms_norm(
        self, src: View, weight: View, eps: float = 1e-6, *, dst: View | None = None, name: str = ""
    ) -> View:
        """Rows of `src` brought to the same mean square: see `RmsNormOp`."""
        operands = {"src": src, "weight": weight}
        return self._graph_op(RmsNormOp, operands, {"eps": eps}, dst, name)

    def attention(
        self, query: View, key: View, value: View, *, causal: bool = False,
        scale: float | None = None, dst: View | None = None, name: str = "",
    ) -> View:  # fmt: skip
        """Attention, forward: see `AttentionOp`."""
        operands = {"query": query, "key": key, "value": value}
        attributes = {"causal": causal, "scale": scale}
        return self._graph_op(AttentionOp, operands, attributes, dst, name)

    def mlp(
        self, src: View, gate: View, up: View, down: View, *,
        activation: ActFunc = ActFunc.Silu, dst: View | None = None, name: str = "",
    ) -> View:  # fmt: skip
        """A gated perceptron of two layers: see `MlpOp`."""
        operands = {"src": src, "gate": gate, "up": up, "down": down}
        return self._graph_op(MlpOp, operands, {"activation": activation}, dst, name)

    def _graph_op(
        self, cls: type[GraphOp], operands: dict[str, View], attributes: dict[str, Any],
        dst: View | None, name: str,
    ) -> View:  # fmt: skip
        made = dst
        if made is None:
            shapes = [tuple(view.shape) for view in operands.values()]
            dtype = next(iter(operands.values())).dtype
            (shape,) = cls.result_shapes(*shapes)
            name = name or self._free(cls.spec.label)
            made = View.whole(Tensor(name, shape, dtype, Space.private_hbm, loc=self.loc))
        op: Any = cls(dst=made, **operands, **attributes)  # type: ignore[call-arg]
        found = [d for d in problems(op, self.function.target) if _is_error(d)]
        if found:
            shown = [(o.name, describe(v)) for o, v in op.views()]
            raise NkiError([diagnostic(one, self.loc, shown) for one in found])
        if dst is None:
            made = self.tensor(made.tensor)
            op.dst = made
        self.insert_inst(op)
        return made

    def _free(self, stem: str) -> str:
        """`stem`, or `stem` with the first number that makes it the name of no tensor."""
        name, count = stem, 0
        while name in self.function.tensors:
            count += 1
            name = f"{stem}.{count}"
        return name


def _is_error(found: Problem) -> bool:
    return found.code.severity is Severity.error
