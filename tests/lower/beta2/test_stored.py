"""Prebuilt kernels as files of KLR, and what is checked of a kernel that comes from elsewhere."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.birpy import MemoryType
from opennki.lower.beta2.stored import from_bytes, launched, lowered, to_binary
from opennki.target import target

from .statements import kernel, tensor


def copied() -> klr.LncKernel:
    """A kernel that copies a constant."""
    t, c = tensor("t", (2, 3)), tensor("c", (2, 3), memory="private_hbm")
    none, engine = klr.DgeComputeOp.none, klr.Engine.sp
    made = kernel("ncDmaCopy", klr.NcDmaCopy(t, c, none, klr.Error(), 0, True, None, engine))
    made.constants = {"c": np.arange(6, dtype=np.float32).reshape(2, 3)}
    made.sharedConstants = [klr.SharedConstantFile("c", "")]
    return made


def test_a_binary_holds_the_constants_of_its_kernel():
    made = copied()
    module = from_bytes(base64.b64decode(to_binary(made)), "gen3")
    assert module.arch == "gen3"
    (function,) = module.functions
    assert np.array_equal(function.memlocs["c"].data, made.constants["c"])
    assert function.memlocs["t"].type is MemoryType.SB
    assert made.sharedConstants == [klr.SharedConstantFile("c", "")]


def test_a_kernel_without_cores_has_one_body():
    made = copied()
    plain = klr.Kernel(made.name, [], [], made.bodies[0])
    assert launched(klr.KernelContents(plain)).bodies == made.bodies


def test_an_earlier_stage_of_a_kernel_is_refused():
    with pytest.raises(NkiError, match="NKI4109"):
        from_bytes(klr.write(klr.HloContents("f")), "gen3")


def test_rules_of_klr_are_checked():
    made = copied()
    made.bodies[0].append(klr.Block("Block1", False, []))
    with pytest.raises(NkiError, match="NKI4004"):
        lowered(made, target("trn2"))


def test_rules_of_bir_are_checked():
    """KLR has one list of engines for all operators."""
    t = tensor("t", (2, 3))
    args = klr.MemSet(t, klr.FloatImm(0.0), klr.Dtype.float32, klr.Engine.pe)
    with pytest.raises(NkiError, match=r"NKI2113.*Memset"):
        lowered(kernel("memSet", args), target("trn2"))
