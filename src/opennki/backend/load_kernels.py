"""Turns prebuilt kernels into kernels of the module that calls them.

    k = NKIKLIRKernel Unassigned outs(%y) ins(%x) {klir_binary="...", kernel_format="bir", ...}

becomes a kernel ``@k``, read from the binary, and a call of it:

    inst__k = NKIKernel Unassigned outs(%y) ins(%x) {func="k", ...}

Its instructions must keep the rules of calls on the target, of which a file of KLR says nothing.
What only one core has, it shares with nobody, whatever the binary says.

Source: KLR lowering, "How a KLR kernel enters a BIR module".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from opennki.base.codes import NKI2813, NKI2814, NKI9003
from opennki.base.diag import Diagnostic, NkiError, fail
from opennki.birpy import BasicBlock, Function, Instruction, Module
from opennki.birpy.binary import FORMAT, IDENTIFIER, bytes_of, from_bytes
from opennki.birpy.calls import BINARY, CALL
from opennki.birpy.enums import KernelSource
from opennki.birpy.module import Item
from opennki.lower import instruction_problems
from opennki.target import of_arch

Reader = Callable[[bytes, str], Module]
"""Makes a module of the bytes of one format, for the target that BIR calls by the second argument.

Raises: NkiError if the bytes are not of the format.
"""


def _of_bir(content: bytes, arch: str) -> Module:
    """BIR says what target it is for, which `load_kernels` looks at."""
    return from_bytes(content)


def _of_klr(content: bytes, arch: str) -> Module:
    """KLR is imported when a kernel in it is first loaded: few programs have one."""
    from opennki.lower.beta2 import stored

    return stored.from_bytes(content, arch)


READERS: Final[Mapping[str, tuple[Reader, KernelSource]]] = {
    FORMAT: (_of_bir, KernelSource.Beta3),
    "klr": (_of_klr, KernelSource.Beta2),
}
"""Format -> how it is read, and where kernels in it come from."""

PREFIX: Final = "inst__"
"""What the name of a call begins with, before that of its kernel."""


def load_kernels(
    module: Module, readers: Mapping[str, tuple[Reader, KernelSource]] = READERS
) -> Module:
    """`module` with a call of a kernel in the place of every prebuilt one; itself without any.

    Raises: NKI2813 for a format without a reader, NKI2814 for a binary that cannot be read or does
        not fit, NKI9003 for a device dump.
    """
    if not any(
        inst.opcode == BINARY
        for function in (*module.nki_functions, *module.functions)
        for inst in function.instructions()
    ):
        return module
    taken = {function.name for function in (*module.nki_functions, *module.functions)}
    loader = _Loader(module, readers, taken)
    kernels = [loader.function(kernel, 0, 1) for kernel in module.nki_functions]
    cores = len(module.functions)
    functions = [loader.function(fn, core, cores) for core, fn in enumerate(module.functions)]
    return replace(module, functions=functions, nki_functions=[*kernels, *loader.made])


@dataclass
class _Loader:
    """Loads the kernels of a module.

    Attributes: module; readers; taken, names of functions; made, the kernels so far.
    """

    module: Module
    readers: Mapping[str, tuple[Reader, KernelSource]]
    taken: set[str]
    made: list[Function] = field(default_factory=list)
    _read: dict[tuple[str, str], Module] = field(default_factory=dict)

    def function(self, function: Function, core: int, cores: int) -> Function:
        """`function`, which is that of a core, with calls."""
        calls: dict[str, str] = {}
        blocks = [self._block(block, (core, cores), calls) for block in function.blocks]
        return replace(function, blocks=blocks) if calls else function

    def _block(
        self, block: BasicBlock, place: tuple[int, int], calls: dict[str, str]
    ) -> BasicBlock:
        return BasicBlock(block.name, [self._item(i, place, calls) for i in block.instructions])

    def _item(self, item: Item, place: tuple[int, int], calls: dict[str, str]) -> Item:
        if not isinstance(item, Instruction):
            return replace(item, blocks=[self._block(b, place, calls) for b in item.blocks])
        edges = tuple([(calls.get(name, name), kind) for name, kind in item.dependencies])
        if item.opcode != BINARY:
            if edges == item.dependencies:
                return item
            return Instruction(
                item.opcode, item.engine, item.name, item.ins, item.outs, item.attrs, item.loc,
                edges,
            )  # fmt: skip
        calls[item.name] = PREFIX + item.name
        attrs = {key: item.attrs[key] for key in _KEPT if key in item.attrs}
        name, source = self._kernel(item, *place)
        attrs |= {"func": name, "kernel_source_val": source}
        return Instruction(
            CALL, item.engine, calls[item.name], item.ins, item.outs, attrs, item.loc, edges
        )

    def _kernel(self, inst: Instruction, core: int, cores: int) -> tuple[str, KernelSource]:
        """Add the kernel of one core; its name and source."""
        if inst.attrs.get("enable_device_dump", False):
            instead = "leave out `enable_device_dump`"
            raise fail(NKI9003, inst.loc, what="a dump of a kernel's values", instead=instead)
        format = str(inst.attrs["kernel_format"])
        if format not in self.readers:
            known = ", ".join(self.readers)
            raise fail(NKI2813, inst.loc, inst=inst.name, got=format, known=known)
        found = self._module(inst, format)
        if len(found.functions) not in (1, cores):
            why = f"is for {len(found.functions)} cores, and its caller runs on {cores}"
            raise fail(NKI2814, inst.loc, inst=inst.name, why=why)
        kernel = found.functions[core if len(found.functions) > 1 else 0]
        name = inst.name if inst.name not in self.taken else f"{inst.name}_core{core}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.made.append(replace(kernel, name=name))
        return name, self.readers[format][1]

    def _module(self, inst: Instruction, format: str) -> Module:
        """The module in a binary."""
        maker = inst.attrs.get("nki_binary_version_identifier", IDENTIFIER)
        why = f"was made by {maker}, and this is {IDENTIFIER}" if maker != IDENTIFIER else ""
        text = str(inst.attrs["klir_binary"])
        found = self._read.get((format, text))
        content = bytes_of(text)
        if not why and content is None:
            why = "is no base64"
        elif not why and content is not None and found is None:
            try:
                found = self.readers[format][0](content, self.module.arch)
                self._read[format, text] = found
                _own_memory(found)
            except NkiError as error:
                why = f"cannot be read: {error.diagnostics[0].message}"
        if found is not None and not why:
            if found.arch != self.module.arch:
                why = f"is for {found.arch}, and its caller for {self.module.arch}"
            elif found.nki_functions or any(
                i.opcode == BINARY for f in found.functions for i in f.instructions()
            ):
                why = "calls other kernels: expand these calls before it is stored"
            elif (wrong := next(_problems(found), None)) is not None:
                why = f"has a wrong instruction: {wrong.message}"
        if found is None or why:
            raise fail(NKI2814, inst.loc, inst=inst.name, why=why)
        return found


def _problems(module: Module) -> Iterator[Diagnostic]:
    """Errors in instructions of a module; a target that is unknown is the module's own problem."""
    target = of_arch(module.arch)
    return iter(()) if target is None else instruction_problems(module, target)


def _own_memory(module: Module) -> None:
    """Let the function of the only core share nothing."""
    if len(module.functions) == 1:
        for memloc in module.functions[0].memlocs.values():
            memloc.shared = False


_KEPT: Final = (
    "func_args", "func_outs", "sb_buf_shape", "psum_buf_shape", "address_rotation_scope_val",
)  # fmt: skip
"""Attributes that a call has, too."""
