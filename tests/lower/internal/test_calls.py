"""Graph ops become calls of kernels: with a tracer that is no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from opennki.base.diag import NkiError, Severity
from opennki.base.dtypes import DType, float32
from opennki.birpy import Function, Module, parse_module, print_module, verify
from opennki.birpy.binary import IDENTIFIER, bytes_of, from_bytes
from opennki.lower import BirCodeGenLoop, Form, InternalKernel, InternalKernels, Registry
from opennki.lower.internal import KernelRequest, TracedKernel
from opennki.penguin import Function as PenguinFunction
from opennki.penguin import parse_function

COPY = """bir.module arch=gen3 version=2 {{
  function @copy inputs=[src] outputs=[out] {{
    memloc %src: float32[{0}, {1}] DRAM ExternalInput
    memloc %out: float32[{0}, {1}] DRAM ExternalOutput shared
    block Block1 {{
      I-0 = DMACopy SP outs(%out) ins(%src) {{mode=Copy}}
    }}
  }}
}}
"""


def copy_of(shape: Sequence[int]) -> Module:
    """A kernel that copies an argument of this shape."""
    return parse_module(COPY.format(*shape))


@dataclass
class Recorder:
    """A tracer that notes what it is asked for, and answers with `answer`."""

    answer: Callable[[KernelRequest], Module]
    frontend: str = "beta3"
    asked: list[KernelRequest] = field(default_factory=list)

    def trace(self, request: KernelRequest) -> TracedKernel:
        self.asked.append(request)
        return TracedKernel(self.answer(request))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder(lambda request: copy_of(request.arrays[0][0]))


SOFTMAX = InternalKernel("softmax", "mine:kernel", 1, lambda op: {"axis": op.axis})


def kernels(recorder: Recorder, entry: InternalKernel = SOFTMAX, **more) -> InternalKernels:
    return InternalKernels(recorder, Registry({entry.name: entry}), **more)


def function(body: str, space: str = "private_hbm", core: str = "") -> PenguinFunction:
    tensors = "".join(
        f"tensor %{name}: float32[{shape}] {space}\n"
        for name, shape in (("x", "4, 8"), ("y", "4, 8"), ("u", "8, 8"), ("v", "8, 8"))
    )
    return parse_function(
        f"penguin.function @main target=cayman {core} args=[] results=[] {{\n{tensors}{body}\n}}"
    )


def lowered(made: InternalKernels, *functions: PenguinFunction) -> Module:
    module = BirCodeGenLoop(made).run_on_module(functions)
    assert [d.message for d in verify(module) if d.severity is Severity.error] == []
    return module


def calls(fn: Function) -> list[str]:
    return [inst.name for inst in fn.instructions()]


def test_a_graph_op_becomes_a_call(recorder):
    module = lowered(kernels(recorder), function("softmax dst=%y, src=%x, axis=0"))
    lines = print_module(module).splitlines()
    assert next(line.strip() for line in lines if "NKIKernel" in line) == (
        "inst__softmax = NKIKernel UNASSIGNED outs(%y) ins(%x) "
        '{func="softmax", func_args=["src"], func_outs=["out"], kernel_source_val=Beta3}'
    )
    (request,) = recorder.asked
    assert request.kernel is SOFTMAX
    assert request.arrays == (((4, 8), float32),)
    assert (request.arguments, request.cores, request.target.name) == ({"axis": 0}, 1, "cayman")
    assert isinstance(request.arrays[0][1], DType)


def test_equal_calls_share_a_kernel_and_others_do_not(recorder):
    made = kernels(recorder)
    body = "softmax dst=%y, src=%x\nsoftmax dst=%x, src=%y\nsoftmax dst=%v, src=%u"
    module = lowered(made, function(body))
    assert len(recorder.asked) == 2
    assert [kernel.name for kernel in module.nki_functions] == ["softmax", "softmax_1"]
    insts = list(module.functions[0].instructions())
    assert [inst.attrs["func"] for inst in insts] == ["softmax", "softmax", "softmax_1"]
    assert [i.name for i in insts] == ["inst__softmax", "inst__softmax_1", "inst__softmax_1_1"]
    lowered(made, function(body))
    assert len(recorder.asked) == 2  # the cache outlives the module


def test_a_shared_cache_serves_others_and_a_small_one_forgets(recorder):
    made = kernels(recorder)
    made.cache.limit = 1
    body = "softmax dst=%y, src=%x\nsoftmax dst=%v, src=%u"
    lowered(made, function(body))
    lowered(kernels(recorder, cache=made.cache), function("softmax dst=%v, src=%u"))
    assert len(recorder.asked) == 2
    lowered(made, function(body))
    assert len(recorder.asked) == 4


def test_names_of_functions_and_authors_are_kept(recorder):
    body = "inst__softmax = softmax dst=%y, src=%x\nsoftmax dst=%x, src=%y after [inst__softmax]"
    fn = function(body)
    fn.name = "softmax"
    module = lowered(kernels(recorder), fn)
    assert [kernel.name for kernel in module.nki_functions] == ["softmax_1"]
    first, second = module.functions[0].instructions()
    assert (first.name, second.name) == ("inst__softmax", "inst__softmax_1")
    assert [name for name, _ in second.dependencies] == ["inst__softmax"]


def test_the_prebuilt_form_stores_the_kernel_in_the_instruction(recorder):
    made = kernels(recorder, form=Form.prebuilt)
    module = lowered(made, function("softmax dst=%y, src=%x\nsoftmax dst=%x, src=%y"))
    assert module.nki_functions == []
    assert calls(module.functions[0]) == ["softmax", "softmax_1"]
    inst = next(module.functions[0].instructions())
    assert inst.opcode == "NKIKLIRKernel"
    assert inst.attrs["kernel_format"] == "bir"
    assert inst.attrs["nki_binary_version_identifier"] == IDENTIFIER
    stored = from_bytes(bytes_of(inst.attrs["klir_binary"]))
    assert calls(stored.functions[0]) == ["I-0"]


def test_memory_that_one_core_shares_with_nobody_is_its_own(recorder):
    module = lowered(kernels(recorder), function("softmax dst=%y, src=%x"))
    assert not any(loc.shared for loc in module.nki_functions[0].memlocs.values())


def test_a_kernel_on_several_cores_has_a_function_for_each(recorder):
    def both(request: KernelRequest) -> Module:
        assert request.cores == 2
        made = copy_of(request.arrays[0][0])
        text = print_module(made).replace("@copy", "@copy_core1")
        return Module([*made.functions, *parse_module(text).functions], "gen3")

    recorder.answer = both
    entry = InternalKernel("softmax", "mine:kernel", requires_multicore_grid=True)
    body = "softmax dst=%y, src=%x"
    fns = [function(body, "shared_hbm", f"core={core} cores=2") for core in range(2)]
    module = lowered(kernels(recorder, entry), *fns)
    assert [kernel.name for kernel in module.nki_functions] == ["softmax_core0", "softmax_core1"]
    insts = [next(fn.instructions()) for fn in module.functions]
    assert [inst.attrs["func"] for inst in insts] == ["softmax_core0", "softmax_core1"]
    assert {inst.name for inst in insts} == {"inst__softmax"}
    assert module.nki_functions[0].memlocs["out"].shared
    assert len(recorder.asked) == 1


def test_a_result_may_be_a_parameter(recorder):
    def written(request: KernelRequest) -> Module:
        text = COPY.format(*request.arrays[0][0]).replace(
            "inputs=[src] outputs=[out]", "inputs=[src, out] outputs=[]"
        )
        return parse_module(text)

    recorder.answer = written
    entry = InternalKernel("softmax", "mine:kernel", output_is_parameter=True)
    module = lowered(kernels(recorder, entry), function("softmax dst=%y, src=%x"))
    assert recorder.asked[0].arrays == (((4, 8), float32), ((4, 8), float32))
    inst = next(module.functions[0].instructions())
    assert (inst.attrs["func_args"], inst.attrs["func_outs"]) == (("src",), ("out",))
    assert (len(inst.ins), len(inst.outs)) == (1, 1)


@pytest.mark.parametrize(
    ("old", "new", "parameter", "got"),
    [
        ("float32[4, 8] DRAM ExternalOutput", "float32[32, 1] DRAM ExternalOutput", False,
         "float32[32, 1]"),
        ("outputs=[out]", "outputs=[]", False, "nothing"),
        ("outs(%out) ins(%src)", "outs(%src) ins(%src)", False, "nothing in `out`"),
        ("inputs=[src] outputs=[out]", "inputs=[out, src] outputs=[]", True, "nothing in `src`"),
        ("mode=Copy}", 'mode=Copy}\n I-1 = DMACopy SP outs(%src) ins(%out) {mode=Copy}', False,
         "the operand `src` changed"),
    ],
)  # fmt: skip
def test_what_a_kernel_leaves_must_be_the_results(recorder, old, new, parameter, got):
    text = COPY.format(4, 8)
    assert old in text
    recorder.answer = lambda request: parse_module(text.replace(old, new))
    entry = InternalKernel("softmax", "mine:kernel", output_is_parameter=parameter)
    with pytest.raises(NkiError) as caught:
        lowered(kernels(recorder, entry), function("softmax dst=%y, src=%x"))
    (found,) = caught.value.diagnostics
    assert (found.code.id, found.message) == (
        "NKI2808",
        f"internal kernel 'softmax' leaves {got}; softmax needs float32[4, 8]",
    )


def test_without_kernels_nothing_lowers_a_graph_op():
    with pytest.raises(NkiError) as caught:
        BirCodeGenLoop().run_on_module([function("softmax dst=%y, src=%x")])
    assert "Internal NKI kernel 'softmax' is not registered" in caught.value.diagnostics[0].message
