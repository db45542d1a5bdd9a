"""Searches, gathers and shuffles, as calls of the first generation."""

from __future__ import annotations

from opennki.base.dtypes import uint32
from opennki.ir import Inst
from opennki.isa.gather import GROUP
from opennki.isa.shuffle import GROUP as LANES
from opennki.trace.classic.tiles import ClassicTensor
from opennki.trace.plain import plain_int

from .call import Call, Part, published


@published("*, data, vals, mask=None, dtype=None, name=None")
def nc_find_index8(call: Call) -> ClassicTensor:
    """A new tile: where each of 8 values first occurs in its partition of `data`; uint32 unless
    `dtype` says otherwise. Source: NKI 0.1 ISA reference, nc_find_index8."""
    x, wanted = call.tile("data"), call.tile("vals")
    dst, where = call.result((x.shape[0], 8), call.kind(uint32)), call.part(x)
    call.emit(where, dst=where.rows(dst), data=where.of(x), vals=where.rows(wanted))
    return dst


@published("*, data, vals, imm, dst_idx=None, mask=None, dtype=None, name=None")
def nc_match_replace8(call: Call) -> ClassicTensor:
    """A new tile: `data` with the first occurrence of each of 8 values replaced by `imm`.

    Source: NKI 0.1 ISA reference, nc_match_replace8.
    """
    x, wanted, places = call.tile("data"), call.tile("vals"), call.vector("dst_idx")
    dst, where = call.like(x), call.part(x)
    call.emit(
        where, dst=where.of(dst), data=where.of(x), vals=where.rows(wanted),
        dst_idx=where.rows(places),
    )  # fmt: skip
    return dst


@published("src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, *, mask=None, name=None")
def local_gather(call: Call) -> ClassicTensor:
    """A new tile: what the indices of each group of 16 partitions choose of `src_buffer`.

    Of n indices per group, e elements each, it is (P, n / 16, 16, e).
    Source: NKI 0.1 ISA reference, local_gather, and its example. Model: (P, n, e) if n is no
    multiple of 16.
    """
    x, places = call.near("src_buffer"), call.tile("index")
    each = plain_int(call["num_elem_per_idx"]) or 1
    given = call["num_valid_indices"]
    count = (places.free_size * GROUP if given is None else plain_int(given)) or 1
    middle = (count,) if count % GROUP else (count // GROUP, GROUP)
    where = call.part(x)
    call.whole(where, range(1, len(x.shape)), "indices choose among all elements of a partition")
    dst = call.result((x.shape[0], *middle, each), x.dtype)
    call.emit(where, dst=where.rows(dst), src_buffer=where.copied(x), index=where.rows(places))
    return dst


@published("src, dst, shuffle_mask, *, dtype=None, mask=None, name=None")
def nc_stream_shuffle(call: Call) -> Inst | None:
    """Copy partitions of `src` to others of the same 32 in `dst`; the mask is over `dst`.

    Source: NKI 0.1 ISA reference, nc_stream_shuffle.
    """
    x, dst = call.tile("src"), call.tile("dst")
    where = call.part(dst)
    first = where.spans[0][0]
    if first % LANES:
        call.whole(where, [0], f"`dst` is shuffled by groups of {LANES} partitions")
    cut = Part(x.shape, None)
    if x.shape[1:] == dst.shape[1:]:
        cut.spans = [(first, x.shape[0]), *where.spans[1:]]
    return call.emit(
        where, dst=where.of(dst), src=cut.of(x), shuffle_mask=_entries(call["shuffle_mask"])
    )


def _entries(given: object) -> object:
    """The mask as a list of numbers; anything else is left for the instruction to refuse."""
    if not isinstance(given, list | tuple):
        return given
    numbers = [plain_int(entry) for entry in given]
    return given if None in numbers else numbers
