"""Sunda (trn1, inf2; NeuronCore-v2, gen2). Source: trn1/inf2 architecture guide; BIR data model."""

from . import tonga

TARGET = tonga.TARGET.derive(
    name="sunda",
    order=2,
    aliases=("trn1", "inf2", "gen2", "sunda"),
    arch="sunda",
    nc_version=2,
    sbuf_bytes=180_224,  # 192 KiB less 16 KiB that the compiler keeps
    sbuf_total_bytes=196_608,
    hbm_bytes=16 * 2**30,  # 32 GiB, two cores
    features=frozenset({"nki", "dve", "swdge", "row_tiling", "column_tiling"}),
)
