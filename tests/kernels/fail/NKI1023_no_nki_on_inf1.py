# expect: NKI1023 at line 13
"""A machine that has no NKI."""

import nki


def kernel(x):
    return x


def main():
    """Choose the target, before anything is traced."""
    nki.simulate(kernel, target="inf1")


# says: there is no target named inf1
# help: NKI needs trn1 (sunda) or newer; choose one of trn1, inf2, gen2, sunda, trn2, gen3, cayman,
#   trn3, gen4, corev4, mariana
