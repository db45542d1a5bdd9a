"""Einops-style rearrangement of a tensor's dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from opennki.base.codes import NKI3021, NKI3022, NKI3027

from .fault import fault
from .plain import plain_int
from .strides import merge

if TYPE_CHECKING:
    from .view_methods import ViewMethods

Group = tuple[str, ...]
V = TypeVar("V", bound="ViewMethods")


def rearranged(tensor: V, src: Any, dst: Any, fixed: Mapping[str, int]) -> V:
    """`tensor` with its dimensions split as `src` names them, then ordered and merged as `dst`.

    Raises: NKI3027 if the patterns do not name the same dimensions or sizes do not follow; NKI3021,
        NKI3022 if the layout does not allow it.
    """
    before, after = _groups(src), _groups(dst)
    names = [n for group in before for n in group]
    wanted = [n for group in after for n in group]
    if sorted(names) != sorted(wanted) or len(set(names)) != len(names):
        _fail(f"{names} and {wanted} do not name the same dimensions once each")
    if len(before) != len(tensor.shape):
        _fail(f"the source pattern has {len(before)} dimensions, the tensor {len(tensor.shape)}")
    if not isinstance(fixed, Mapping) or any(plain_int(n) is None for n in fixed.values()):
        _fail(f"fixed_sizes is {fixed!r}, not sizes by name")
    unknown = set(fixed) - set(names)
    if unknown:
        _fail(f"fixed_sizes names {sorted(unknown)}, the pattern does not")
    if tensor.space.on_chip and (len(before[0]) > 1 or after[0] != before[0]):
        raise fault(NKI3021, method="rearrange")
    split = tensor
    for dim in range(len(before) - 1, -1, -1):
        sizes = _sizes(before[dim], tensor.shape[dim], fixed)
        if len(sizes) > 1:
            split = split.reshape_dim(dim, sizes)
    ordered = split.permute(tuple(names.index(n) for n in wanted))
    for dim, group in enumerate(after):
        last = dim + len(group)
        if merge(ordered.shape[dim:last], ordered.strides[dim:last]) is None:
            why = f"{group} do not follow each other without gaps"
            raise fault(NKI3022, method="rearrange", why=why, copy="copy")
        if len(group) > 1:
            ordered = ordered.flatten_dims(dim, last - 1)
    return ordered


def _groups(pattern: Any) -> list[Group]:
    if isinstance(pattern, str) or not isinstance(pattern, list | tuple):
        _fail(f"{pattern!r} is not a tuple of names")
    if not all(isinstance(p, str | list | tuple) for p in pattern):
        _fail(f"{pattern!r} holds something other than names")
    groups = [(p,) if isinstance(p, str) else tuple(p) for p in pattern]
    if any(not group or not all(isinstance(n, str) for n in group) for group in groups):
        _fail(f"{pattern!r} holds something other than names")
    return groups


def _sizes(group: Group, size: int, fixed: Mapping[str, int]) -> tuple[int, ...]:
    open_names = [n for n in group if n not in fixed]
    known = prod(fixed[n] for n in group if n in fixed)
    if len(open_names) > 1:
        _fail(f"sizes of {open_names} do not follow from {size}; give all but one in fixed_sizes")
    if known < 1 or size % known or (not open_names and known != size):
        _fail(f"{dict(fixed)} does not divide the dimension {group} of size {size}")
    return tuple(fixed.get(n, size // known) for n in group)


def _fail(why: str) -> NoReturn:
    raise fault(NKI3027, why=why)
