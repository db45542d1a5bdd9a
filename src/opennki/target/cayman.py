"""Cayman (trn2; NeuronCore-v3, gen3). Source: trn2 architecture guide; BIR data model."""

from . import sunda

TARGET = sunda.TARGET.derive(
    name="cayman",
    order=3,
    aliases=("trn2", "gen3", "cayman"),
    arch="gen3",
    nc_version=3,
    sbuf_bytes=212_984,  # 224 KiB less 16 392 bytes
    sbuf_total_bytes=229_376,
    hbm_bytes=12 * 2**30,  # 96 GiB, eight cores
    cores=2,
    features=frozenset(
        {
            "bit_accurate_transpose", "double_row", "hwdge", "act_tensor_scalar", "act_copy",
            "scalar_bias", "multi_core", "quarter_tiling", "gpsimd_random", "gather",
        }
    ),
)  # fmt: skip
