"""Prebuilt kernels are read and become kernels of the module."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from opennki import klr
from opennki.backend.inline_kernels import inline_kernels
from opennki.backend.load_kernels import READERS, load_kernels
from opennki.base.diag import NkiError
from opennki.birpy import Module, difference, dumps, loads, parse_module, print_module
from opennki.birpy.binary import IDENTIFIER, to_binary
from opennki.birpy.enums import KernelSource

from .calls import DOUBLE, call, module, results

A = np.arange(32, dtype=np.float32).reshape(4, 8)


def binary(cores: int = 1, arch: str = "gen3") -> str:
    """The kernel `double` as a module of its own, for several cores."""
    text = DOUBLE.replace("kernel @double", "function @double")
    made = parse_module(f"bir.module arch={arch} version=2 {{\n{text}}}\n")
    one = made.functions[0]
    functions = [one, *(Module([one], arch).functions[0] for _ in range(cores - 1))]
    for core, function in enumerate(functions[1:], 1):
        functions[core] = type(one)(
            f"double_core{core}", function.memlocs, function.blocks, function.inputs,
            function.outputs,
        )  # fmt: skip
    return to_binary(Module(functions, arch))


def stored(name: str, ins: str, outs: str, content: str | None = None, **more: str) -> str:
    """The text of an instruction with a prebuilt kernel."""
    content = binary() if content is None else content
    pairs = {"kernel_format": '"bir"', "klir_binary": f'"{content}"', **more}
    attrs = ", ".join(f"{key}={value}" for key, value in pairs.items())
    ends = 'func_args=["x"], func_outs=["out"]'
    return f"{name} = NKIKLIRKernel UNASSIGNED outs({outs}) ins({ins}) {{{attrs}, {ends}}}"


def refusal(text: str, **readers) -> tuple[str, str]:
    made = module(text, kernels="")
    with pytest.raises(NkiError) as caught:
        load_kernels(made, readers or READERS)
    (found,) = caught.value.diagnostics
    return found.code.id, found.message


def test_a_stored_kernel_becomes_a_call():
    made = module(stored("k", "%a", "%b"), kernels="")
    loaded = load_kernels(made)
    assert [kernel.name for kernel in loaded.nki_functions] == ["k"]
    (inst,) = loaded.functions[0].instructions()
    assert (inst.opcode, inst.name) == ("NKIKernel", "inst__k")
    assert inst.attrs == {
        "func": "k", "func_args": ("x",), "func_outs": ("out",),
        "kernel_source_val": KernelSource.Beta3,
    }  # fmt: skip
    assert load_kernels(loaded) is loaded


def test_both_forms_give_equal_results():
    prebuilt = module(stored("k", "%a", "%b"), kernels="")
    readable = module(call("inst__k", "%a", "%b"))
    assert print_module(inline_kernels(prebuilt)) == print_module(inline_kernels(readable))
    assert results(prebuilt, A).tobytes() == results(readable, A).tobytes() == (2 * A).tobytes()


def test_text_and_json_keep_stored_kernels():
    made = module(stored("k", "%a", "%b"), kernels="")
    assert loads(dumps(made)) == made
    assert parse_module(print_module(made)) == made


def test_edges_follow_the_new_name():
    made = module(
        stored("k", "%a", "%m") + "\n" + stored("l", "%m", "%b") + " after [k:Ordered]",
        "memloc %m: float32[4, 8] DRAM Internal",
        "",
    )
    second = list(load_kernels(made).functions[0].instructions())[1]
    assert [name for name, _ in second.dependencies] == ["inst__k"]
    assert (results(made, A) == 4 * A).all()


def test_a_kernel_in_a_loop_is_loaded():
    made = module("loop L i = 0..1 { block B { " + stored("k", "%a", "%b") + " } }", kernels="")
    assert (results(made, A) == 2 * A).all()


def test_names_that_are_taken_change():
    made = module(stored("main", "%a", "%b"), kernels="")
    loaded = load_kernels(made)
    assert [kernel.name for kernel in loaded.nki_functions] == ["main_core0"]
    assert (results(made, A) == 2 * A).all()


def test_each_core_gets_its_own_function_of_the_kernel():
    made = module(stored("k", "%a", "%b", binary(2)), kernels="")
    other = parse_module(print_module(made)).functions[0]
    other.name = "main_core1"
    made.functions.append(other)
    loaded = load_kernels(made)
    assert [kernel.name for kernel in loaded.nki_functions] == ["k", "k_core1"]
    names = [next(fn.instructions()).attrs["func"] for fn in loaded.functions]
    assert names == ["k", "k_core1"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            stored("k", "%a", "%b", kernel_format='"elf"'), "NKI2813",
            "the prebuilt kernel of `k` has the format elf; bir, klr can be read",
        ),
        (stored("k", "%a", "%b", "?"), "NKI2814", "the prebuilt kernel of `k` is no base64"),
        (
            stored("k", "%a", "%b", "AAAA"), "NKI2814",
            "the prebuilt kernel of `k` cannot be read: this is not JSON: "
            "Expecting value: line 1 column 1 (char 0)",
        ),
        (
            stored("k", "%a", "%b", binary(arch="sunda")), "NKI2814",
            "the prebuilt kernel of `k` is for sunda, and its caller for gen3",
        ),
        (
            stored("k", "%a", "%b", binary(2)), "NKI2814",
            "the prebuilt kernel of `k` is for 2 cores, and its caller runs on 1",
        ),
        (
            stored("k", "%a", "%b", nki_binary_version_identifier='"opennki 0"'), "NKI2814",
            f"the prebuilt kernel of `k` was made by opennki 0, and this is {IDENTIFIER}",
        ),
        (
            stored("k", "%a", "%b", to_binary(module(call("c", "%a", "%b")))), "NKI2814",
            "the prebuilt kernel of `k` calls other kernels: expand these calls before it is "
            "stored",
        ),
        (
            stored("k", "%a", "%b", enable_device_dump="true"), "NKI9003",
            "opennki does not model a dump of a kernel's values yet",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_loaded_is_refused(text, code, message):
    assert refusal(text) == (code, message)


# ---- kernels in KLR ------------------------------------------------------------------------------


def storage(name: str, memory: klr.Memory) -> klr.TensorName:
    address = klr.Address(name, memory, 4, 32, isShared=memory is klr.Memory.shared_hbm)
    return klr.TensorName(name, klr.Dtype.float32, klr.Shape(4, [8]), address, 8)


def whole(tensor: klr.TensorName) -> klr.Abstract:
    pairs = [klr.APPair(8, 4, 0), klr.APPair(1, 8, 0)]
    return klr.Abstract(klr.BirPattern(klr.BirAccessPattern(tensor, 0, pairs)))


def copied(dst: klr.TensorRef, src: klr.TensorRef) -> klr.NcDmaCopy:
    none, engine = klr.DgeComputeOp.none, klr.Engine.sp
    return klr.NcDmaCopy(dst, src, none, klr.Error(), 0, True, None, engine)


def doubled(bodies: int = 1) -> klr.LncKernel:
    """The kernel `double` in KLR; its result is in memory that cores could share."""
    x, out = storage("x", klr.Memory.private_hbm), storage("out", klr.Memory.shared_hbm)
    t = whole(storage("t", klr.Memory.sbuf))
    moves = [copied(t, whole(x)), copied(whole(out), t)]
    add = klr.TensorTensor(t, t, t, klr.AluOp.add, None, klr.Engine.dve)
    ops = [
        klr.Operator("ncDmaCopy", moves[0]), klr.Operator("tensorTensor", add),
        klr.Operator("ncDmaCopy", moves[1]),
    ]  # fmt: skip
    block = klr.Block("Block1", False, [klr.Stmt(op, None, klr.Pos(0)) for op in ops])
    return klr.LncKernel("double", [x], [out], [[block]] * bodies)


def of_klr(content: str, **more: str) -> str:
    return stored("k", "%a", "%b", content, kernel_format='"klr"', **more)


def octets(content: bytes) -> str:
    return base64.b64encode(content).decode()


def test_a_file_of_klr_becomes_a_call():
    made = module(of_klr(octets(klr.write(doubled()))), kernels="")
    loaded = load_kernels(made)
    (inst,) = loaded.functions[0].instructions()
    assert inst.attrs["kernel_source_val"] is KernelSource.Beta2
    assert not loaded.nki_functions[0].memlocs["out"].shared
    readable = module(call("inst__k", "%a", "%b"))
    assert difference(inline_kernels(made), inline_kernels(readable)) is None
    assert (results(made, A) == 2 * A).all()


def test_a_kernel_of_klr_without_cores_runs_on_one():
    kernel = doubled()
    plain = klr.Kernel(kernel.name, kernel.inputs, kernel.outputs, kernel.bodies[0])
    made = module(of_klr(octets(klr.write(plain))), kernels="")
    assert (results(made, A) == 2 * A).all()


def with_files(name: str) -> str:
    kernel = doubled()
    kernel.sharedConstants = [klr.SharedConstantFile("c", name)]
    return octets(klr.write(kernel))


def unset() -> str:
    kernel = doubled()
    tail = kernel.bodies[0][0].body
    move = klr.RegisterAluOp("s", "r", 1, klr.AluOp.add)
    tail.append(klr.Stmt(klr.Operator("registerAluOp", move), None, klr.Pos(0)))
    return octets(klr.write(kernel))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("?", "is no base64"),
        (
            "AAAA",
            "cannot be read: the binary does not begin like a KLR file: its first bytes are "
            "00 00 00, and should be d9 d9 f7 83",
        ),
        (
            octets(klr.write(doubled())[:60]),
            "cannot be read: the file ends at byte 60, where an integer from 0 to 2**64 - 1 is "
            "expected (in kernel.inputs[0].address.freeSize)",
        ),
        (octets(klr.write(doubled(2))), "is for 2 cores, and its caller runs on 1"),
        (
            with_files(f"shared_constants/{'0' * 64}.npy"),
            f"cannot be read: constant `c` cannot be read from shared_constants/{'0' * 64}.npy: "
            "there are no files beside a prebuilt kernel, so it must hold them",
        ),
        (unset(), "cannot be read: register `r` is read by registerAluOp, and nothing sets it"),
    ],
)
def test_a_file_of_klr_that_cannot_be_loaded_is_refused(content, why):
    assert refusal(of_klr(content)) == ("NKI2814", f"the prebuilt kernel of `k` {why}")


def test_a_kernel_must_be_one_for_the_target():
    """KLR says nothing of targets: this kernel is one for gen4."""
    kernel = doubled()
    stmt = kernel.bodies[0][0].body[1]
    t, zero = stmt.op.args.dst, klr.Imm(klr.FloatImm(0.0))
    args = klr.Exponential(t, t, zero, None, klr.AccumCmd.Idle, zero)
    stmt.op = klr.Operator("exponential", args)
    text = of_klr(octets(klr.write(kernel)))
    made = module(text, kernels="")
    made.arch = "core_v4"
    (inst,) = load_kernels(made).functions[0].instructions()
    assert inst.attrs["func"] == "k"
    assert refusal(text) == (
        "NKI2814",
        "the prebuilt kernel of `k` has a wrong instruction: exponential needs trn3 (corev4) or "
        "newer; this kernel is compiled for trn2 (cayman)",
    )


def test_what_a_target_of_bir_is_must_be_known():
    made = module(of_klr(octets(klr.write(doubled()))), kernels="")
    made.arch = "gen9"
    with pytest.raises(
        NkiError, match=r"NKI2814.*cannot be read: there is no architecture named `gen9`"
    ):
        load_kernels(made)


def test_another_format_needs_a_reader():
    """It makes a module of bytes, for the target of the caller."""
    made = module(stored("k", "%a", "%b", "AAAA", kernel_format='"mine"'), kernels="")
    seen = []

    def read(content: bytes, arch: str) -> Module:
        seen.append((content, arch))
        text = DOUBLE.replace("kernel @double", "function @double")
        return parse_module(f"bir.module arch=gen3 version=2 {{\n{text}}}\n")

    loaded = load_kernels(made, {**READERS, "mine": (read, KernelSource.Beta2)})
    assert seen == [(b"\0\0\0", "gen3")]
    (inst,) = loaded.functions[0].instructions()
    assert inst.attrs["kernel_source_val"] is KernelSource.Beta2
    assert (results(loaded, A) == 2 * A).all()
