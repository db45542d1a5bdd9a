"""Which rank a core belongs to, and whose data has reached it in a ring, into a register."""

from __future__ import annotations

from opennki.base.codes import NKI2124
from opennki.base.diag import Problems, problem
from opennki.ir import REGISTER, Inst, Met, Place, View, attr, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .collective import Collective, Groups
from .enums import Engine
from .permute import ring_problems
from .registers import WORD, held


@instruction(
    emit="rank_id", bir="GetGlobalRankId", klr="RankId", engines=(Engine.ALL,), since=SUNDA,
)  # fmt: skip
class GetGlobalRankId(Inst):
    """Set the register `dst` to the rank that runs this: 0 to the number of ranks less 1.

    `world_size` is that number; 0, all that a kernel can say, is that of the launch.

    Source: NKI collectives reference, rank_id; BIR data model for `world_size` (Model: its 0).
    """

    alone = False

    dst: View = out(REGISTER, "1 1", WORD)
    world_size: int = attr(int, 0, surface=False)

    def check(self, t: Target) -> Problems:
        if self.world_size < 0:
            yield problem(
                NKI2124, name="world_size", got=self.world_size, allowed="0 or more",
                inst=self.spec.label,
            )  # fmt: skip

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        return (held(me[0]),)


@instruction(
    emit="collective_permute_implicit_current_processing_rank_id", bir="GetCurProcessingRankID",
    klr="CurrentProcessingRankId", engines=(Engine.ALL,), since=SUNDA,
)  # fmt: skip
class GetCurProcessingRankId(Collective):
    """Set the register `dst` to the rank whose data a ring has brought after `iteration_id` steps.

    After 0 steps that is the rank itself, after 1 the rank before it in its group, and so on round
    the ring of collective_permute_implicit.

    Source: NKI collectives reference, collective_permute_implicit_current_processing_rank_id.
    Model: every channel goes the same way round.
    """

    dst: View = out(REGISTER, "1 1", WORD)
    iteration_id: int = attr(int, bir="iter_id")
    replica_groups: Groups = attr(tuple)
    channel_id: int = attr(int, 0)

    def check(self, t: Target) -> Problems:
        if self.iteration_id < 0:
            yield problem(
                NKI2124, name="iteration_id", got=self.iteration_id, allowed="0 or more",
                inst=self.spec.label,
            )  # fmt: skip
        yield from ring_problems(self, self.replica_groups, self.channel_id)

    def ranks_with(self, rank: int) -> tuple[int, ...]:
        """The rank alone: it asks nobody."""
        return (rank,)

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        ring = Collective.ranks_with(self, me[0])
        return (held(ring[(ring.index(me[0]) - self.iteration_id) % len(ring)]),)
