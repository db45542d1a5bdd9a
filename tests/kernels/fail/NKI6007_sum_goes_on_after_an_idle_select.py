# expect: NKI6007 at line 18
"""A sum is continued after an idle instruction, which may have changed the registers."""

import nki.isa as nisa
import nki.language as nl

CMD = nisa.reduce_cmd


def kernel(x):
    t = nl.load(x)
    total = nl.ndarray((128, 1), nl.float32)
    some = nl.full(t.shape, 1, nl.uint8)
    nisa.tensor_scalar_reduce(dst=t, data=t, op0=nl.add, operand0=1.0, reduce_op=nl.add,
                              reduce_res=None)  # fmt: skip
    nisa.select_reduce(dst=t, predicate=some, on_true=t, on_false=0.0)
    sums = {"op0": nl.add, "operand0": 1.0, "reduce_op": nl.add, "reduce_res": total}
    nisa.tensor_scalar_reduce(dst=t, data=t, reduce_cmd=CMD.reduce, **sums)
    out = nl.ndarray((128, 1), nl.float32, buffer=nl.shared_hbm)
    nl.store(out, total)
    return out


# says: tensor_scalar_reduce continues what is in the registers after an idle select_reduce
# help: finish one sum (read it into reduce_res) before starting the next with reset_reduce
