"""Functions around generated instructions, and running a function at every level on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from opennki.backend import build
from opennki.base import dtypes
from opennki.base.diag import NkiError
from opennki.base.dtypes import DType
from opennki.base.numerics import from_f32
from opennki.ir import Inst, Role, Space, Tensor, View, changed
from opennki.isa.dma import DMACopyOp
from opennki.isa.move import TensorCopyOp
from opennki.isa.registers import RegisterLoad, RegisterStore
from opennki.lower import BirCodeGenLoop
from opennki.penguin import Function, IRBuilder
from opennki.penguin.substitute import copy_of, put
from opennki.sim import cores
from opennki.sim.cores import Party, Steps
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory, Storage, is_shared
from opennki.sim.ref import bir, penguin, program
from opennki.target import Target

_COPY: Any = TensorCopyOp  # called with its operands only: a type checker sees no defaults
_MOVE: Any = DMACopyOp
_LOAD: Any = RegisterLoad
_STORE: Any = RegisterStore
Array = NDArray[Any]
Arrays = dict[str, Array]


def program_of(insts: Sequence[Inst], target: Target, *, share: bool = False) -> Function:
    """A function that runs `insts` on initialised tensors and returns all that they leave.

    Every tensor ``t`` that an instruction names is filled from the input ``t.in`` before and copied
    to the output ``t.out`` after, through SBUF when it is in PSUM. The instructions are copied. If
    one of them needs another core, the function is that of the first of two, and only barriers use
    memory that both share.

    Args: share, whether instructions use the same tensor where theirs are alike (in memory and
        bytes); otherwise tensors of different instructions are different, whatever their names.
    """
    several = any(True for inst in insts for _ in inst.check_launch(0, 1))
    builder = IRBuilder(Function("generated", target, 0, 2 if several else 1))
    tensors: list[Tensor] = []
    copies: list[Inst] = []
    for inst in insts:
        own: dict[Tensor, Tensor] = {}
        fields = {name: getattr(inst, name) for name in inst.spec.order}
        for operand, view in inst.views():
            tensor = own.get(view.tensor)
            if tensor is None:
                free = [t for t in tensors if share and t not in own.values()]
                space = view.tensor.space
                if several and space is Space.shared_hbm and not any(inst.orders()):
                    space = Space.private_hbm
                tensor = _stand_in(view.tensor, space, free, len(tensors))
                own[view.tensor] = tensor
                if tensor not in tensors:
                    tensors.append(tensor)
            put(fields, operand.name, changed(view, tensor=tensor))
        fields.update((name, 1) for name in _PEERS & fields.keys())
        copies.append(copy_of(inst, fields))
    for tensor in tensors:
        _fill(builder, builder.tensor(tensor))
    builder.function.body += copies
    for tensor in tensors:
        _drain(builder, View.whole(tensor))
    return builder.function


_PEERS: Final = {"send_to_rank", "recv_from_rank"}
"""Attributes that name the other core."""


def _stand_in(old: Tensor, space: Space, free: Sequence[Tensor], number: int) -> Tensor:
    """One of `free` in `space` that can stand for `old`, or a new tensor like it."""
    for tensor in free:
        if (
            tensor.space is space
            and tensor.shape[0] >= old.shape[0]
            and (tensor.row, tensor.dtype.itemsize) == (old.row, old.dtype.itemsize)
        ):
            return tensor
    return Tensor(
        f"{old.name}.{number}", old.shape, old.dtype, space,
        address=old.address, start_partition=old.start_partition,
    )  # fmt: skip


def _hbm(builder: IRBuilder, like: Tensor, role: Role, suffix: str) -> View:
    tensor = Tensor(like.name + suffix, like.shape, like.dtype, Space.private_hbm, role=role)
    return builder.tensor(tensor)


def _staged(builder: IRBuilder, view: View, suffix: str) -> View:
    """The view itself, or a tile in SBUF for what DMA does not reach: PSUM, registers."""
    tensor = view.tensor
    if tensor.space not in (Space.psum, Space.register):
        return view
    return builder.tensor(Tensor(tensor.name + suffix, tensor.shape, tensor.dtype, Space.sbuf))


def _fill(builder: IRBuilder, view: View) -> None:
    staged = _staged(builder, view, ".from")
    source = _hbm(builder, view.tensor, Role.input, ".in")
    builder.insert_inst(_MOVE(dst=staged, src=source))
    if staged is not view:
        copy = _LOAD if view.space is Space.register else _COPY
        builder.insert_inst(copy(dst=view, src=staged))


def _drain(builder: IRBuilder, view: View) -> None:
    staged = _staged(builder, view, ".to")
    if staged is not view:
        copy = _STORE if view.space is Space.register else _COPY
        builder.insert_inst(copy(dst=staged, src=view))
    result = _hbm(builder, view.tensor, Role.output, ".out")
    builder.insert_inst(_MOVE(dst=result, src=staged))


SPECIAL: Final = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 255.0, -129.0, 1e-40, 65504.0, 1e30, np.inf, -np.inf,
     np.nan],
    np.float32,
)  # fmt: skip
"""Values at which functions and conversions change their ways."""


def values_of(dtype: DType, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Random elements of `dtype`; packed and 64-bit types get random bits."""
    if dtype in dtypes.PACKED or dtype.itemsize == 8:
        raw = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
        return raw.view(dtype.np).reshape(shape)
    if dtype.is_int:
        low, high = (0, 1) if dtype == dtypes.bool_ else _limits(dtype)
        near = rng.integers(max(low, -9), min(high, 9), shape, np.int64, endpoint=True)
        far = rng.integers(low, high, shape, np.int64, endpoint=True)
        return np.where(rng.random(shape) < 0.7, near, far).astype(dtype.np)
    normal = rng.standard_normal(shape).astype(np.float32) * 4
    special = rng.choice(SPECIAL, shape)
    return from_f32(np.where(rng.random(shape) < 0.85, normal, special), dtype)


def _limits(dtype: DType) -> tuple[int, int]:
    limits = np.iinfo(dtype.np)
    return int(limits.min), int(limits.max)


def inputs_of(function: Function, rng: np.random.Generator) -> Arrays:
    """Random contents of every argument of `function`.

    What `program_of` fills a tensor with has the dtype that instructions read the tensor as, so
    that no NaN has a payload: which one a sum of two NaNs keeps depends on the host's vector unit.
    What instructions read as indices is in range.
    """
    read_as: dict[str, DType] = {}
    limits: dict[str, int] = {}
    for inst in function.instructions():
        for operand, view in inst.views():
            tensor, dtype = view.tensor, view.dtype
            limit = inst.index_limit(operand.name)
            if limit is not None and f"{tensor.name}.in" not in limits:
                limits[f"{tensor.name}.in"] = limit
                read_as[f"{tensor.name}.in"] = dtype
            if dtype is not tensor.dtype and tensor.row_bytes % dtype.itemsize == 0:
                read_as.setdefault(f"{tensor.name}.in", dtype)
    made = {}
    for name in function.args:
        tensor = function.tensors[name]
        dtype = read_as.get(name, tensor.dtype)
        count = tensor.size * tensor.dtype.itemsize // dtype.itemsize
        values = values_of(dtype, (count,), rng)
        if name in limits:
            values %= limits[name]
        made[name] = values.view(tensor.dtype.np).reshape(tensor.shape)
    return made


# ---- running ---------------------------------------------------------------------------------


def run(function: Function, arrays: Mapping[str, Array], level: str) -> Arrays:
    """Run `function` at a level on copies of `arrays` (by argument name); its results by name.

    It runs on as many ranks as its instructions name, and the first of two functions runs beside a
    twin. Every other place has the same arrays with their rows reversed, as far as they are its
    own, and its number behind the names of its results.
    Raises: NkiError for what the back end refuses.
    """
    named = [_ranks(inst) for inst in function.instructions()]
    places = list(product(range(1 + max(named, default=0)), range(function.cores)))
    shared: dict[int, dict[str, Storage]] = {}
    parties = []
    for rank, core in places:
        one = shared.setdefault(rank, {}) if function.cores > 1 else None
        memory = Memory(shared=one)
        own = function if core == 0 else _twin(function)
        for name, array in arrays.items():
            target = own.tensors.get(name.removesuffix(".in"))
            same = core == 0 or target is None or is_shared(target)
            turned = (rank + (0 if same else core)) % 2
            memory.find(own.tensors[name]).fill(array[::-1] if turned else array)
        machine = Machine(memory.find, core=core)
        machine.printer = _ignore
        steps = RUNNERS[level](own, machine, memory)
        parties.append((Party(rank, core, machine, steps), memory))
    cores.run([party for party, _ in parties])
    return {
        f"{name}{number or ''}": memory.find(function.tensors[name]).values()
        for number, (_, memory) in enumerate(parties)
        for name in function.results
    }


def agree(insts: Sequence[Inst]) -> bool:
    """Whether one launch can run all of them: each takes part in every collective."""
    ranks = 1 + max(map(_ranks, insts), default=0)
    return not any(True for inst in insts for _ in inst.check_ranks(ranks))


def _ranks(inst: Inst) -> int:
    """The largest rank that `inst` names."""
    groups: Sequence[Sequence[int]] = getattr(inst, "groups", tuple)()
    return max((rank for group in groups for rank in group), default=0)


def _twin(function: Function) -> Function:
    """The second core's program beside `function`: the same, but its other core is the first.

    Only a function without loops has one.
    """
    made = Function(function.name, function.target, 1, function.cores)
    made.tensors, made.args, made.results = function.tensors, function.args, function.results
    for inst in function.instructions():
        fields = {name: getattr(inst, name) for name in inst.spec.order}
        made.body.append(copy_of(inst, fields | dict.fromkeys(_PEERS & fields.keys(), 0)))
    return made


def _ignore(line: str) -> None:
    """What device_print says is no result."""


def _penguin(function: Function, machine: Machine, memory: Memory) -> Steps:
    return penguin.steps(function, machine)


def _bir(function: Function, machine: Machine, memory: Memory) -> Steps:
    module = BirCodeGenLoop().run_on_module([function])
    return bir.steps(module.functions[0], function.target, machine)


def _program(function: Function, machine: Machine, memory: Memory) -> Steps:
    module = BirCodeGenLoop().run_on_module([function])
    made, found = build(module, function.target)
    if made is None:
        raise NkiError(found)
    return program.steps(made, 0, machine, memory)


RUNNERS: Final[dict[str, Callable[[Function, Machine, Memory], Steps]]] = {
    "penguin": _penguin, "bir": _bir, "program": _program,
}  # fmt: skip
"""Every level that runs."""


def differences(expected: Mapping[str, Array], actual: Mapping[str, Array]) -> list[str]:
    """Where two runs differ in a bit, one line per result."""
    found = [f"{name}: only in one" for name in expected.keys() ^ actual.keys()]
    for name in expected.keys() & actual.keys():
        a, b = expected[name], actual[name]
        unlike = a.view(np.uint8).reshape(-1) != b.view(np.uint8).reshape(-1)
        if unlike.any():
            index = int(unlike.argmax()) // a.dtype.itemsize
            one, other = a.reshape(-1)[index], b.reshape(-1)[index]
            found.append(f"{name}: element {index} is {one!r} and {other!r}")
    return sorted(found)
