"""Sums of table rows that are chosen at run time: how many there are and which, tensors say.

Each bag has a length and a list of row numbers. The loop over a bag runs on the device as often as
the bag's length says (`nl.dynamic_range`); its index chooses a row number, and that the row.
Nothing is compiled again when lengths or rows change.
"""

from __future__ import annotations

import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

# The same additions in the same order, each rounded once by either side: results are equal.
TOLERANCE = 0.0


@nki.jit
def embedding_bag(table, rows, lengths):
    """Row b of the result is the sum of ``table[rows[b, i]]`` over all i below ``lengths[b]``."""
    bags, _ = rows.shape
    width = table.shape[1]
    out = nl.ndarray((bags, width), dtype=table.dtype, buffer=nl.shared_hbm)
    for bag in range(bags):
        length = nisa.register_alloc()
        nisa.register_load(length, lengths[bag : bag + 1])
        total = nl.ndarray((1, width), dtype=table.dtype, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0.0)
        for i in nl.dynamic_range(length):
            row = nisa.register_alloc()
            nisa.register_load(row, rows[bag, nl.ds(i, 1)])
            addend = nl.ndarray((1, width), dtype=table.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=addend, src=table[nl.ds(row, 1)])
            nisa.tensor_tensor(dst=total, data1=total, data2=addend, op=nl.add)
        nisa.dma_copy(dst=out[bag : bag + 1], src=total)
    return out


def run(count=200, width=64, bags=5, longest=12, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((count, width)).astype(np.float32)
    rows = rng.integers(0, count, (bags, longest)).astype(np.int32)
    lengths = rng.integers(0, longest, bags, endpoint=True).astype(np.int32)
    lengths[0] = 0
    want = np.zeros((bags, width), np.float32)
    for bag, length in enumerate(lengths):
        for row in rows[bag, :length]:
            want[bag] += table[row]
    return nki.simulate(embedding_bag, **options)(table, rows, lengths), want


def main() -> int:
    """Check the kernel; 0 if it is right."""
    got, want = run()
    error = float(np.abs(got - want).max())
    good = error <= TOLERANCE
    print(f"embedding_bag: error {error:.1e}, {'pass' if good else 'FAIL'}")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
