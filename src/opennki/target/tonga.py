"""Tonga (inf1): the first generation. NKI itself starts with Sunda; the table is their ancestor."""

from .target import Target

TARGET = Target(
    name="tonga",
    order=1,
    aliases=("inf1", "tonga"),
    arch="inferentia",
    nc_version=1,
    # Model: sizes of Tonga are not published per core; the Sunda figures stand in for SBUF.
    sbuf_bytes=180_224,
    sbuf_total_bytes=196_608,
    hbm_bytes=4 * 2**30,
    pe_moving_max=512,
    pe_moving_bf16_max=512,
    cores=1,
    features=frozenset(),
)
