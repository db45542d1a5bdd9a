"""Traced internal kernels by what they were traced for."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import Final

from opennki import __version__
from opennki.penguin import GraphOp
from opennki.target import Target

from .registry import InternalKernel, TracedKernel

LIMIT: Final = 64
"""Kernels that a cache keeps unless it is told otherwise."""


def key_of(op: GraphOp, kernel: InternalKernel, target: Target, cores: int, frontend: str) -> str:
    """The SHA-256 of everything that the traced kernel depends on, as hexadecimal digits.

    Source: Penguin, "Internal kernel registry": sorted components, namely shapes and dtypes of
    operands and results, attributes, target, number of cores. Model: besides, the kernel, the front
    end and our version.
    """
    parts = [
        f"op {op.spec.label}", f"kernel {kernel.kernel_func}", f"target {target.name}",
        f"cores {cores}", f"frontend {frontend}", f"version {__version__}",
        f"outputs are parameters {kernel.output_is_parameter}",
    ]  # fmt: skip
    for word, views in (("operand", op.operand_views()), ("result", op.result_views())):
        for index, view in enumerate(views):
            parts.append(f"{word} {index} {view.dtype}{list(view.shape)}")
    parts += [f"attribute {name} {value!r}" for name, value in op.attributes().items()]
    parts += [f"argument {name} {value!r}" for name, value in kernel.arguments(op).items()]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


class KernelCache:
    """Kernels by key; of more than `limit` the one that was not used for longest goes.

    Several threads may use one.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._kept: OrderedDict[str, TracedKernel] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> TracedKernel | None:
        """The kernel, which nobody changes; None if there is none."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: str, kernel: TracedKernel) -> None:
        """Keep a kernel."""
        with self._lock:
            self._kept[key] = kernel
            self._kept.move_to_end(key)
            while len(self._kept) > self.limit:
                self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)
