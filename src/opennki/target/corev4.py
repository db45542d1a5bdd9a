"""CoreV4 (trn3; NeuronCore-v4, gen4). Source: trn3 architecture guide; BIR data model."""

from . import cayman

TARGET = cayman.TARGET.derive(
    name="corev4",
    order=4,
    aliases=("trn3", "gen4", "corev4", "mariana"),
    arch="core_v4",
    nc_version=4,
    sbuf_bytes=245_752,  # 256 KiB less 16 392 bytes
    sbuf_total_bytes=262_144,
    hbm_bytes=18 * 2**30,  # 144 GiB, eight cores
    pe_moving_max=4096,
    pe_moving_bf16_max=8192,
    features=frozenset(
        {"ocp_fp8", "bf16_psum", "accumulate_any", "act_reduce_any", "dma_priority", "mx",
         "tensor_indirection", "vector_xorwow", "neuron_switch"}
    ),
)  # fmt: skip
