"""Prebuilt kernels are read and become kernels of the module."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.backend.inline_kernels import inline_kernels
from opennki.backend.load_kernels import READERS, load_kernels
from opennki.base.diag import NkiError
from opennki.birpy import Module, dumps, loads, parse_module, print_module
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
            stored("k", "%a", "%b", kernel_format='"klr"'), "NKI2813",
            "the prebuilt kernel of `k` has the format klr; bir can be read",
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


def test_another_format_needs_a_reader():
    """What a reader of KLR will do: it makes a module of bytes."""
    made = module(stored("k", "%a", "%b", "AAAA", kernel_format='"mine"'), kernels="")
    seen = []

    def read(content: bytes) -> Module:
        seen.append(content)
        text = DOUBLE.replace("kernel @double", "function @double")
        return parse_module(f"bir.module arch=gen3 version=2 {{\n{text}}}\n")

    loaded = load_kernels(made, {**READERS, "mine": (read, KernelSource.Beta2)})
    assert seen == [b"\0\0\0"]
    (inst,) = loaded.functions[0].instructions()
    assert inst.attrs["kernel_source_val"] is KernelSource.Beta2
    assert (results(loaded, A) == 2 * A).all()
