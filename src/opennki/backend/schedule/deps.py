"""True dependences between the instructions of a straight-line, allocated function.

An instruction depends on an earlier one if both touch a byte and one of them writes it: flow (read
after write), anti (write after read) or output (write after write). Bytes are physical on chip, so
a tile depends on the former users of its place. What is reported per instruction is the latest
instruction of every track that it depends on; those before it on that track complete earlier, and
so need no edge of their own.

Registers that an engine keeps between instructions (accumulators, random state) need no edges:
whoever shares them runs on one engine, in order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from opennki.base.codes import NKI5101
from opennki.base.diag import fail
from opennki.birpy import AccessPattern, Argument, EdgeKind, Instruction

from .engines import FIRST_RING, Tracks
from .regions import Region
from .tiles import tiles_of

Edges = dict[int, int]
"""Track -> edge, encoded as ``4 * producer + kind`` (see `decode`)."""

_ORDERED, _ANTI, _OUTPUT, _FLOW = range(4)
_KINDS: Final = (EdgeKind.Ordered, EdgeKind.Anti, EdgeKind.Output, EdgeKind.Flow)


def decode(edge: int) -> tuple[int, EdgeKind]:
    """The producer and the kind of an edge."""
    return edge >> 2, _KINDS[edge & 3]


def dependences(
    instructions: Sequence[Instruction], tracks: Tracks, done: Collection[str] = ()
) -> Iterator[Edges]:
    """For each instruction in turn, the latest one of every track that it must follow.

    Edges between two compute instructions of one engine are left out: it runs them in order.
    Args: done, names of instructions that are complete before any of these begins.
    Raises: NKI5101 if an explicit edge names no instruction.
    """
    track = tracks.track
    tiles, indices = tiles_of(instructions)
    names = _names(instructions)
    for node, inst in enumerate(instructions):
        edges: Edges = {}
        touched: list[Region] = []
        ins: tuple[Argument, ...] = inst.ins
        if node in indices:
            ins += indices[node]
        for arg in ins:
            if arg.__class__ is AccessPattern:
                tile = tiles[arg.memloc]
                known = tile.known
                key = (arg.offset, arg.ap, arg.dtype)
                region = known.get(key) if known is not None and arg.index is None else None
                if region is None:
                    region = tile.open(key, arg, inst.opcode, track)
                touched.append(region)
                if region.write < 0 and tile.inherited:
                    _follow(edges, tile.inherited, _FLOW)
                _before_read(region, edges, track)
        reads = len(touched)
        for arg in inst.outs:
            if arg.__class__ is AccessPattern:
                tile = tiles[arg.memloc]
                known = tile.known
                key = (arg.offset, arg.ap, arg.dtype)
                region = known.get(key) if known is not None and arg.index is None else None
                if region is None:
                    region = tile.open(key, arg, inst.opcode, track)
                touched.append(region)
                if region.write < 0 and tile.inherited:
                    _follow(edges, tile.inherited, _OUTPUT)
                _before_write(region, edges, track)
        own = track[node]
        for region in touched:
            if reads > 0:
                reads -= 1
                _note_read(region, own, node)
            else:
                region.write = node
                region.reads = region.small_writes = region.small_reads = None
                if region.larger:
                    _note_write(region, own, node)
        if inst.dependencies:
            _explicit(inst, edges, names, track, done)
        if own < FIRST_RING and own in edges and edges[own] >> 2 < node:
            del edges[own]
        yield edges


def _follow(edges: Edges, latest: dict[int, int], kind: int) -> None:
    for track, node in latest.items():
        edge = 4 * node + kind
        if edge > edges.get(track, -1):
            edges[track] = edge


def _before_read(region: Region, edges: Edges, track: bytearray) -> None:
    """What a read of `region` must follow: the latest writes of its bytes."""
    write = region.write
    if write >= 0:
        edge, on = 4 * write + _FLOW, track[write]
        if edge > edges.get(on, -1):
            edges[on] = edge
    if region.small_writes:
        _follow(edges, region.small_writes, _FLOW)
    for larger in region.larger:
        if larger.write > write:  # an older one was waited for by `write`, which covers the region
            edge, on = 4 * larger.write + _FLOW, track[larger.write]
            if edge > edges.get(on, -1):
                edges[on] = edge


def _before_write(region: Region, edges: Edges, track: bytearray) -> None:
    """What a write of `region` must follow: all accesses of its bytes since they were written."""
    write = region.write
    if region.reads:
        _follow(edges, region.reads, _ANTI)
    elif write >= 0:
        edge, on = 4 * write + _OUTPUT, track[write]
        if edge > edges.get(on, -1):
            edges[on] = edge
    if region.small_writes:
        _follow(edges, region.small_writes, _OUTPUT)
    if region.small_reads:
        _follow(edges, region.small_reads, _ANTI)
    for larger in region.larger:
        if larger.write > write:
            edge, on = 4 * larger.write + _OUTPUT, track[larger.write]
            if edge > edges.get(on, -1):
                edges[on] = edge
        if larger.reads:
            for on, reader in larger.reads.items():
                if reader > write and 4 * reader + _ANTI > edges.get(on, -1):
                    edges[on] = 4 * reader + _ANTI


def _note_read(region: Region, own: int, node: int) -> None:
    if region.reads is None:
        region.reads = {own: node}
    else:
        region.reads[own] = node
    for larger in region.larger:
        if larger.small_reads is None:
            larger.small_reads = {own: node}
        else:
            larger.small_reads[own] = node


def _note_write(region: Region, own: int, node: int) -> None:
    for larger in region.larger:
        if larger.small_writes is None:
            larger.small_writes = {own: node}
        else:
            larger.small_writes[own] = node


def _names(instructions: Sequence[Instruction]) -> dict[str, int]:
    """Position of each instruction by name, if any explicit edge needs it."""
    if not any(inst.dependencies for inst in instructions):
        return {}
    return {inst.name: node for node, inst in enumerate(instructions)}


def _explicit(
    inst: Instruction, edges: Edges, names: dict[str, int], track: bytearray, done: Collection[str]
) -> None:
    """Add the edges that the instruction itself asks for."""
    for name, kind in inst.dependencies:
        producer = names.get(name)
        if producer is None and name in done:
            continue
        if producer is None:
            raise fail(NKI5101, inst.loc, name=name, close="")
        edge = 4 * producer + _KINDS.index(kind)
        if edge > edges.get(track[producer], -1):
            edges[track[producer]] = edge
