"""Instructions of KLR files keep the rules that calls keep; legal ones break none."""

from __future__ import annotations

from random import Random

import pytest

from opennki.base.diag import NkiError
from opennki.driver import KlrSource, LoweredKlr
from opennki.driver.klr_files import is_klr, read_klr
from opennki.isa.registry import INSTRUCTIONS
from opennki.klr import LncContents
from opennki.lower import instruction_problems
from opennki.target import TARGETS
from opennki.testing.instances import choices, instance
from opennki.testing.programs import program_of
from opennki.testing.roads import kernel_of

NEWEST = TARGETS[-1]
EACH = 3


@pytest.mark.parametrize("cls", INSTRUCTIONS, ids=lambda cls: cls.__name__)
def test_a_legal_instruction_breaks_no_rule(cls):
    rnd = Random(cls.__name__)
    t = next(t for t in reversed(TARGETS) if t.order >= cls.spec.since and choices(cls, t))
    found = choices(cls, t)
    for choice in rnd.sample(found, min(len(found), EACH)):
        program = program_of([instance(cls, choice, t, rnd)], t)
        kernel = kernel_of(program)
        kernel.sharedConstants = []  # they would be files
        source = KlrSource("k.klr", 0, "CBOR", None, None, LncContents(kernel))
        module = LoweredKlr(source, t).bir
        assert list(instruction_problems(module, t)) == []


@pytest.mark.parametrize("priority", [4, 7])
def test_a_priority_that_bir_has_and_no_call_is_named(priority):
    cls = next(c for c in INSTRUCTIONS if c.__name__ == "DMACopyOp")
    copy = instance(cls, choices(cls, NEWEST)[0], NEWEST, Random(0))
    kernel = kernel_of(program_of([copy], NEWEST))
    first = kernel.bodies[0][0].body[0]
    assert first.op.kind == "ncDmaCopy"
    first.op.args.priority = priority
    source = KlrSource("k.klr", 0, "CBOR", None, None, LncContents(kernel))
    kernel.sharedConstants = []
    with pytest.raises(NkiError) as caught:
        _ = LoweredKlr(source, NEWEST).bir
    (found,) = caught.value.diagnostics
    assert found.message == f"`priority` of dma_copy is {priority}; allowed: 0, 1, 2, 3"


def test_a_file_that_the_system_refuses_is_named(tmp_path, monkeypatch):
    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "k.klr"
    path.write_bytes(b"")
    monkeypatch.setattr(type(path), "read_bytes", refuse)
    with pytest.raises(NkiError) as caught:
        read_klr(str(path))
    (found,) = caught.value.diagnostics
    assert (found.code.id, found.message) == (
        "NKI4111", f"{path} cannot be read: Permission denied",
    )  # fmt: skip
    monkeypatch.setattr(type(path), "open", refuse)
    assert not is_klr(str(path.rename(tmp_path / "k.json")))
