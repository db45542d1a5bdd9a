"""Published rules of dma_transpose: a call that just keeps each, one that does not."""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, I16, U8 = nl.float32, nl.bfloat16, nl.int16, nl.uint8
ALL = ("trn1", "trn2", "trn3")
HARDWARE = ("trn2", "trn3")


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype, buffer)


def hbm(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=nl.shared_hbm)


def turn(dst, src, dtype=F32, **more):
    """A transpose from HBM to SBUF between these shapes."""
    nisa.dma_transpose(t(*dst, dtype=dtype), hbm(*src, dtype=dtype), **more)


def hardware(dst, src, dtype=BF16):
    turn(dst, src, dtype, dge_mode=nisa.dge_mode.hwdge)


def gather(count=128, wide=64, index=(128, 1), dtype=BF16, kind=nl.uint32, of=hbm, **more):
    """A transpose of `count` rows of `wide` elements, or of `wide` dimensions, by indices."""
    free = wide if isinstance(wide, tuple) else (wide,)
    rows = of(*(64 if of is t else 300, *free), dtype=dtype)
    chosen = (
        rows.vector_select(0, t(*index, dtype=kind))
        if index[1:] == (1,)
        else rows.ap(
            [[rows.strides[0], count], *rows.get_pattern()[1:]], vector_offset=t(*index, dtype=kind)
        )
    )
    dst = t(free[-1], *free[:-1], count, dtype=dtype)
    nisa.dma_transpose(dst, chosen, **more)


# What the rule says: its code, targets, calls that keep it, calls that break it.
RULES = {
    "the order follows from the rank": (
        "NKI2306", ALL,
        [lambda: turn((8, 4), (4, 8)), lambda: turn((8, 3, 4), (4, 3, 8)),
         lambda: turn((8, 2, 3, 4), (4, 2, 3, 8))],
        [lambda: turn((4, 8), (4, 8)), lambda: turn((3, 8, 4), (4, 3, 8)),
         lambda: turn((8, 3, 2, 4), (4, 2, 3, 8)), lambda: turn((8, 1, 4), (4, 8))],
    ),
    "axes are those of the order": (
        "NKI2124", ALL,
        [lambda: turn((8, 4), (4, 8), axes=(1, 0)),
         lambda: turn((8, 3, 4), (4, 3, 8), axes=[2, 1, 0]),
         lambda: turn((8, 2, 3, 4), (4, 2, 3, 8), axes=(3, 1, 2, 0))],
        [lambda: turn((8, 4), (4, 8), axes=(0, 1)), lambda: turn((8, 3, 4), (4, 3, 8), axes=(1, 0)),
         lambda: turn((8, 2, 3, 4), (4, 2, 3, 8), axes=(3, 2, 1, 0))],
    ),
    "tiles have up to four dimensions": (
        "NKI2305", ALL,
        [lambda: turn((8, 2, 2, 4), (4, 2, 2, 8))],
        [lambda: turn((8, 2, 2, 2, 4), (4, 2, 2, 2, 8)), lambda: turn((8, 1), (8,))],
    ),
    "results are in SBUF": (
        "NKI2105", ALL,
        [lambda: nisa.dma_transpose(t(8, 4), t(4, 8))],
        [lambda: nisa.dma_transpose(hbm(8, 4), t(4, 8)),
         lambda: nisa.dma_transpose(t(8, 4, buffer=nl.psum), t(4, 8))],
    ),
    "sources are in HBM or SBUF": (
        "NKI2301", ALL,
        [lambda: nisa.dma_transpose(t(8, 4), hbm(4, 8))],
        [lambda: nisa.dma_transpose(t(8, 4), t(4, 8, buffer=nl.psum))],
    ),
    "dtypes are equal": (
        "NKI2116", ALL,
        [lambda: nisa.dma_transpose(t(8, 4, dtype=U8), hbm(4, 8, dtype=U8))],
        [lambda: nisa.dma_transpose(t(8, 4, dtype=I16), hbm(4, 8, dtype=BF16))],
    ),
    "without indices GpSimd makes no descriptors": (
        "NKI2124", ALL,
        [lambda: turn((8, 16), (16, 8), dge_mode=nisa.dge_mode.unknown),
         lambda: turn((8, 16), (16, 8), dge_mode=nisa.dge_mode.none)],
        [lambda: turn((8, 16), (16, 8), dge_mode=nisa.dge_mode.swdge)],
    ),
    "without indices nothing is skipped": (
        "NKI2304", ALL,
        [lambda: turn((8, 16), (16, 8), oob_mode=nisa.oob_mode.error)],
        [lambda: turn((8, 16), (16, 8), oob_mode=nisa.oob_mode.skip)],
    ),
    "hardware takes 2 bytes": (
        "NKI2106", HARDWARE,
        [lambda: hardware((8, 16), (16, 8), I16)],
        [lambda: hardware((8, 16), (16, 8), F32), lambda: hardware((8, 16), (16, 8), U8)],
    ),
    "hardware takes blocks of 16 rows": (
        "NKI2307", HARDWARE,
        [lambda: hardware((8, 16), (16, 8)), lambda: hardware((8, 8, 2), (2, 8, 8)),
         lambda: hardware((8, 3, 4, 4), (4, 3, 4, 8))],
        [lambda: hardware((8, 32), (32, 8)), lambda: hardware((8, 16, 32), (32, 16, 8)),
         lambda: hardware((8, 7, 2), (2, 7, 8)), lambda: hardware((8, 4, 3, 4), (4, 4, 3, 8))],
    ),
    "hardware takes at most 128 columns, which become partitions": (
        "NKI3002", HARDWARE,
        [lambda: hardware((128, 16), (16, 128))],
        [lambda: hardware((129, 16), (16, 129))],
    ),
    "hardware is in later targets": (
        "NKI2108", ("trn1",),
        [lambda: turn((8, 16), (16, 8), BF16)],
        [lambda: hardware((8, 16), (16, 8))],
    ),
    "priorities are in later targets": (
        "NKI2108", ("trn1", "trn2"),
        [lambda: turn((8, 16), (16, 8), priority=None)],
        [lambda: turn((8, 16), (16, 8), priority=0)],
    ),
    "what indices select has 2 bytes": (
        "NKI2308", HARDWARE,
        [lambda: gather(), lambda: gather(dtype=I16)],
        [lambda: gather(dtype=F32), lambda: gather(dtype=U8)],
    ),
    "indices select multiples of 16 rows": (
        "NKI2308", HARDWARE,
        [lambda: gather(144, index=(128, 2)), lambda: gather(16, index=(16, 1))],
        [lambda: gather(136, index=(128, 2)), lambda: gather(8, index=(128, 2))],
    ),
    "one of the middle dimensions is 1": (
        "NKI2308", HARDWARE,
        [lambda: gather(wide=(1, 3, 8)), lambda: gather(wide=(3, 1, 8)),
         lambda: gather(wide=(1, 1, 128)), lambda: gather(wide=128)],
        [lambda: gather(wide=(2, 3, 8))],
    ),
    "indices are on a multiple of 16 partitions": (
        "NKI2308", HARDWARE,
        [lambda: gather(32, index=(32, 1)), lambda: gather(112, index=(112, 1))],
        [lambda: gather(16, index=(24, 2)), lambda: gather(16, index=(8, 2))],
    ),
    "several columns of indices have 128 partitions": (
        "NKI2308", HARDWARE,
        [lambda: gather(256, index=(128, 2)), lambda: gather(64, index=(64, 1))],
        [lambda: gather(128, index=(64, 2))],
    ),
    "indices are uint32": (
        "NKI2308", HARDWARE,
        [lambda: gather(kind=nl.uint32)],
        [lambda: gather(kind=nl.int32), lambda: gather(kind=nl.uint16)],
    ),
    "indices have two dimensions": (
        "NKI2308", HARDWARE,
        [lambda: gather(256, index=(128, 2))],
        [lambda: gather(256, index=(128, 1, 2))],
    ),
    "there is an index for every row, and rows are in HBM": (
        "NKI3033", HARDWARE,
        [lambda: gather(128, index=(128, 2))],
        [lambda: gather(144, index=(128, 1, 1)), lambda: gather(of=t)],
    ),
    "software makes the descriptors of indices": (
        "NKI2124", HARDWARE,
        [lambda: gather(), lambda: gather(dge_mode=nisa.dge_mode.swdge)],
        [lambda: gather(dge_mode=nisa.dge_mode.none),
         lambda: gather(dge_mode=nisa.dge_mode.hwdge)],
    ),
    "indices are for trn2 and later": (
        "NKI2108", ("trn1",),
        [lambda: turn((8, 16), (16, 8))],
        [lambda: gather()],
    ),
    "priorities are 0 to 3": (
        "NKI2124", ("trn3",),
        [lambda: turn((8, 16), (16, 8), priority=0), lambda: turn((8, 16), (16, 8), priority=3)],
        [lambda: turn((8, 16), (16, 8), priority=4)],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
