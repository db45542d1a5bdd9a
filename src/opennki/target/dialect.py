"""Versions of the NKI language as data: what each removed or renamed, and what to write instead.

Source: NKI migration guides, and the release notes of NKI 0.2 to 0.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

VERSIONS: Final = ("0.2", "0.3", "0.4", "0.5", "0.6")
"""Versions of the `nki` package, oldest first."""


@dataclass(frozen=True)
class Change:
    """Something of the language that a version no longer has.

    Attributes: module and name, of a name (``nki.isa``, ``dma_copy``); keyword, of that function
    when only a keyword went (empty: the name did); since, the first version without it; instead,
    what to write; runs, whether opennki still knows what it means.
    """

    module: str
    name: str
    keyword: str
    since: str
    instead: str
    runs: bool = False

    @property
    def construct(self) -> str:
        """The construct in words."""
        if self.name == "*":
            return f"the keyword `{self.keyword}` of calls of {self.module}"
        full = f"{self.module}.{self.name}" if self.module else self.name
        return f"the keyword `{self.keyword}` of {full}" if self.keyword else full

    @property
    def before(self) -> str:
        """The last version that has it; empty if that is older than all `VERSIONS`."""
        place = VERSIONS.index(self.since)
        return VERSIONS[place - 1] if place else ""


@dataclass(frozen=True)
class Dialect:
    """The version of the language that a kernel is written in.

    Attributes: version; chosen, whether somebody asked for exactly this one. If nobody did, what
    earlier versions had is accepted with a warning where its meaning is known; classic, whether it
    is the first generation (`neuronxcc.nki`), which has a surface of its own.
    """

    version: str = VERSIONS[-1]
    chosen: bool = False
    classic: bool = False

    def has(self, change: Change) -> bool:
        """Whether the version still has what `change` takes away."""
        return VERSIONS.index(self.version) < VERSIONS.index(change.since)


NEWEST: Final = Dialect()
CLASSIC: Final = Dialect(VERSIONS[0], classic=True)
"""The first generation."""


def _gone(module: str, since: str, rows: Mapping[str, str], runs: bool = False) -> list[Change]:
    return [Change(module, name, "", since, instead, runs) for name, instead in rows.items()]


_SLICES = "select elements with slices, as in x[0:128, 0:64]"
_GRID = "give the number of cores in the launch grid, kernel[2]"
_DST = "leave it out; an instruction converts to the dtype of dst"
_DYNAMIC = "use nisa.tensor_copy with a view made by .ap(..., scalar_offset=...)"
_ADDRESS = "place tiles with nl.ndarray(..., address=(partition, byte offset))"

LANGUAGE: Final = _gone(
    "nki.language",
    "0.2",
    {
        "arange": _SLICES,
        "mgrid": _SLICES,
        "par_dim": "write the partition dimension first, nl.ndarray((128, 4, 64), ...)",
        "static_cast": "copy into a tensor of the other dtype with nisa.tensor_copy",
        "loop_reduce": "accumulate with nc_matmul or nisa.tensor_tensor into a tile made before "
        "the loop",
        "nc": _GRID,
        "spmd_dim": _GRID,
        "fp32": "write the number, for example float(np.finfo(np.float32).min)",
        "constants": "write the number",
        "atomic_rmw": "read, combine with nisa.tensor_tensor, and write back",
        "scalar": "use a Python number, or a (1, 1) tile",
    },
)

ISA: Final = [
    *_gone("nki.isa", "0.2", {"builtin_custom_op": "write the operation with instructions"}),
    *_gone(
        "nki.isa", "0.4",
        {"tensor_copy_dynamic_src": _DYNAMIC, "tensor_copy_dynamic_dst": _DYNAMIC},
    ),
]  # fmt: skip

KEYWORDS: Final = [
    Change("nki.isa", name, keyword, since, instead, runs=True)
    for name, keyword, since, instead in (
        # Model: no document dates it; lists of the calls of 0.2 have it, those of 0.3 do not.
        ("*", "dtype", "0.3", _DST),
        ("nc_matmul", "psumAccumulateFlag", "0.2", "leave it out; it had no effect"),
        ("nc_matmul", "is_moving_zero", "0.2", "write is_moving_onezero"),
        ("dma_copy", "dst_rmw_op", "0.3",
         "write nisa.dma_compute(dst, [src, dst], reduce_op=nl.add)"),
        ("dma_copy", "unique_indices", "0.3", "write nisa.dma_compute(..., unique_indices=...)"),
        ("sendrecv", "use_gpsimd_dma", "0.3",
         "write dma_engine=nisa.dma_engine.gpsimd_dma, or dma_engine.dma for False"),
        ("register_move", "imm", "0.3", "write src=value"),
    )
]  # fmt: skip

AFFINE_SELECT_ORDER: Final = Change(
    "", "`offset` as third positional argument of nki.isa.affine_select", "", "0.3",
    "write affine_select(dst, pattern, channel_multiplier, on_true_tile, on_false_value, "
    "offset=offset)", runs=True,
)  # fmt: skip
MEMORY_NAMES: Final = Change(
    "", "a memory's name without import, as in `sbuf.view(...)`,", "", "0.3",
    "write nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)", runs=True,
)  # fmt: skip
BUFFER_STRINGS: Final = Change(
    "", "the name of a memory as a string", "", "0.3", "write the object, buffer=nl.sbuf", runs=True
)
ENUM_NUMBERS: Final = Change(
    "", "the number of an enumeration's member", "", "0.3",
    "write the member, dge_mode=nisa.dge_mode.hwdge", runs=True,
)  # fmt: skip
CONSTRUCTS: Final = [AFFINE_SELECT_ORDER, MEMORY_NAMES, BUFFER_STRINGS, ENUM_NUMBERS]

COMPILER: Final = [
    *_gone(
        "nki.compiler", "0.2",
        dict.fromkeys(
            ("skip_middle_end_transformations", "enable_stack_allocator", "force_auto_alloc"),
            "remove the decorator; the compiler has no such stage",
        ), runs=True,
    ),
    *_gone("nki.compiler", "0.2", {"no_reorder": "write `with nl.no_reorder():`"}, runs=True),
    *_gone("nki.compiler", "0.2", dict.fromkeys(("sbuf", "psum"), _ADDRESS)),
    *_gone(
        "nki.compiler", "0.2",
        {"multi_buffer": "make a list of tiles", "vectorize": "write one instruction"},
    ),
]  # fmt: skip

TOOLS: Final = [
    Change("nki", name, "", "0.2", instead, runs=True)
    for name, instead in (
        ("benchmark", "call the kernel; times are what a profiler shows"),
        ("baremetal", "call the kernel with NumPy arrays"),
        ("profile", "call the kernel, and use a profiler"),
        ("trace", "write @nki.jit"),
        ("simulate_kernel", "write nki.simulate(kernel)(...)"),
        ("cpu_simulate", "write nki.simulate(kernel)(...)"),
    )
] + _gone("nki", "0.2", dict.fromkeys(("tensor", "meta"), "annotate with nki.typing.tensor"))

CHANGES: Final = (*LANGUAGE, *ISA, *KEYWORDS, *CONSTRUCTS, *COMPILER, *TOOLS)
"""Every change, by module."""


def removed(module: str) -> dict[str, Change]:
    """Names that `module` had in earlier versions."""
    return {c.name: c for c in CHANGES if c.module == module and not c.keyword}


def keywords(name: str) -> dict[str, Change]:
    """Keywords that ``nki.isa.<name>`` had in earlier versions."""
    return {c.keyword: c for c in KEYWORDS if c.name in ("*", name)}
