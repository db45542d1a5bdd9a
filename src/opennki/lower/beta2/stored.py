"""Kernels from files of KLR, checked, lowered, and checked again; prebuilt kernels as such files.

A prebuilt kernel is one binary with nothing beside it, so the constants of its kernel are in it.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Final

from opennki import birpy, klr
from opennki.base.codes import NKI4003
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN
from opennki.target import Target, of_arch

from .klir import KlirToBirCodegen

FORMAT: Final = "klr"
"""The value of `kernel_format` for a file of KLR."""


def launched(contents: klr.Contents) -> klr.LncKernel:
    """The kernel that a file holds, on one core if it does not say on how many.

    Raises: NKI4109 for an earlier stage of a kernel.
    """
    found = klr.lowerable(contents)
    if isinstance(found, klr.Kernel):
        return klr.LncKernel(found.name, found.inputs, found.outputs, [found.body])
    return found


def lowered(kernel: klr.LncKernel, target: Target) -> birpy.Module:
    """The module of a kernel that nobody has checked.

    Raises: NkiError for every rule of KLR, or of BIR, that is violated; NKI4209, NKI4501 and
        NKI4502 for what is not lowered.
    """
    wrong = klr.verify(kernel)
    if wrong:
        raise NkiError(wrong)
    module = KlirToBirCodegen(target).run_on_kernel(klr.lower_accesses(kernel))
    wrong = birpy.verify(module)
    if wrong:
        raise NkiError(wrong)
    return module


def to_binary(kernel: klr.LncKernel) -> str:
    """`kernel` as a binary of the format ``klr``: base64 of a file that has its constants in it."""
    held = replace(kernel, sharedConstants=klr.embed_constants(kernel.constants))
    return base64.b64encode(klr.write(held)).decode("ascii")


def from_bytes(content: bytes, arch: str) -> birpy.Module:
    """The module of a binary of the format ``klr`` on the target that BIR calls `arch`.

    Raises: as `klr.read`, `launched` and `lowered`; NKI4003 for an unknown target, NKI4110 for a
        constant that is not in the binary.
    """
    target = of_arch(arch)
    if target is None:
        raise fail(NKI4003, UNKNOWN, kind="architecture", name=arch, close="")
    kernel = launched(klr.read(content, "the binary").contents)
    kernel.constants = klr.embedded_constants(kernel)
    return lowered(kernel, target)
