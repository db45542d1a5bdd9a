"""The page of instructions: what a call takes, where it runs, and what it refuses."""

from __future__ import annotations

import inspect
import sys

from opennki.base.diag import Code
from opennki.ir import Access, Attribute, Inst, Operand, problems
from opennki.isa.enums import ActFunc, AluOp, IsaEnum
from opennki.isa.registry import BY_NKI, FAMILIES, INSTRUCTIONS
from opennki.target import Target
from opennki.trace.sema.isa import CALLS

from . import spelling
from .markdown import block, code, doc_of, first_sentence, page, prose, table
from .reach import codes

ROLES = {
    Access.OUT: "written", Access.INP: "read", Access.INOUT: "read and written",
    Access.STATE: "engine state",
}  # fmt: skip


def text() -> str:
    """The whole page."""
    parts = []
    for family in FAMILIES:
        classes = [c for c in INSTRUCTIONS if c.__module__ == family.__name__]
        parts.append("## " + prose(first_sentence(doc_of(family)).rstrip(".")))
        parts += [_instruction(cls) for cls in classes]
    return page(
        "nki.isa",
        "Written as `import nki.isa as nisa`. One section per instruction, from its row in the op "
        "table.",
        _summary(),
        _general(),
        *parts,
    )


def givers() -> dict[str, list[str]]:
    """Id of an error code -> the calls whose own rules give it."""
    found: dict[str, list[str]] = {}
    for name, cls in BY_NKI.items():
        for one in own_codes(cls):
            found.setdefault(one.id, []).append(name)
    return found


def own_codes(cls: type[Inst]) -> list[Code]:
    """Codes that the `check` of an instruction may give."""
    return codes(cls.check, "opennki.isa", cls)


def _summary() -> str:
    rows = [
        [
            f"[{c.spec.label}](#{c.spec.label.lower()})",
            prose(first_sentence(doc_of(c))),
            spelling.engines(c.spec.engines),
            spelling.lifetime(c.spec.since, c.spec.until),
        ]
        for c in INSTRUCTIONS
    ]
    return table(["call", "what it does", "engines", "targets"], rows)


def _general() -> str:
    found = codes(problems, "opennki.ir")
    return (
        "## What every instruction needs\n\n"
        "Letters in shapes name sizes: the first is the partition dimension, the second the "
        "product of all\nothers, and equal letters mean equal sizes. `*` and `...` are any size. "
        "These rules hold for every\noperand:\n\n" + table(["code", "rule"], map(_rule, found))
    )


def _rule(one: Code) -> list[str]:
    return [f"[{one.id}](errors.md#{one.id.lower()})", prose(one.title)]


def _instruction(cls: type[Inst]) -> str:
    spec = cls.spec
    parts = [f"### {spec.label}"]
    if spec.name:
        signature = inspect.signature(CALLS[spec.name])
        parts.append(block(spelling.call(f"nisa.{spec.name}", signature)))
    else:
        parts.append("No call of `nki.isa` makes it directly.")
    parts.append(prose(doc_of(cls)))
    parts.append(_facts(cls))
    operands = [_operand(o) for o in spec.operands]
    parts.append(table(["operand", "is", "memory", "shape", "limits", "dtypes"], operands))
    if spec.attrs:
        rows = [_attribute(a, cls) for a in spec.attrs]
        parts.append(table(["attribute", "type", "default", "in BIR", "targets"], rows))
    own = own_codes(cls)
    if own:
        links = (f"[{c.id}](errors.md#{c.id.lower()}) {prose(c.title)}" for c in own)
        parts.append("Rules of its own: " + "; ".join(links) + ".")
    return "\n\n".join(parts)


def _facts(cls: type[Inst]) -> str:
    spec = cls.spec
    family = sys.modules[cls.__module__].__name__.rpartition(".")[2]
    owner = "" if spec.owner else ", which another instruction owns"
    facts = [
        f"Engines: {spelling.engines(spec.engines)}",
        f"Targets: {spelling.lifetime(spec.since, spec.until)}",
        f"Penguin class: {code(cls.__name__)} in `isa/{family}.py`",
        f"BIR opcode: {code(spec.bir)}{owner}",
    ]
    if spec.klr:
        facts.append(f"KLR operator: {code(spec.klr)}")
    return "\n".join(f"- {fact}" for fact in facts)


def _operand(operand: Operand) -> list[str]:
    role = ROLES[operand.access]
    if operand.access is Access.STATE:
        return [code(operand.name), role, "", "", "", ""]
    if operand.number:
        role += ", or a number"
    if operand.optional and not operand.given:
        role += "; may be absent"
    if operand.accumulate:
        role += f"; added to, as {code(operand.accumulate)} says"
    spaces = ", ".join(sorted(s.name for s in operand.spaces))
    shape = code(f"({', '.join(operand.shape)})")
    limits = ", ".join(_limit(dim, field) for dim, field in operand.limits.items())
    return [code(operand.name), role, spaces, shape, limits, spelling.dtypes(operand.dtypes)]


def _limit(dim: str, field: str) -> str:
    values = {str(getattr(t, field)): t for t in spelling.MACHINES}
    if len(values) == 1:
        return f"{dim} ≤ {next(iter(values))}"
    return f"{dim} ≤ [{field}](targets.md)"


def _attribute(attribute: Attribute, cls: type[Inst]) -> list[str]:
    kind = attribute.type
    if attribute.surface and issubclass(kind, IsaEnum) and kind not in (AluOp, ActFunc):
        shown = f"nisa.{spelling.surface_enum(kind).__name__}"
    else:
        shown = _TYPES.get(kind.__name__, kind.__name__)
    if attribute.optional:
        shown += " or None"
    wire = "no" if attribute.bir == "" else code(attribute.bir or attribute.name)
    name = code(attribute.name) + ("" if attribute.surface else " (not in the call)")
    return [name, shown, _default(attribute, cls), wire, _since(attribute)]


_TYPES = {
    "AluOp": "operator", "ActFunc": "function", "tuple": "integers, maybe nested",
    "float": "number", "DType": "dtype",
}  # fmt: skip


def _default(attribute: Attribute, cls: type[Inst]) -> str:
    """What a call that leaves the attribute out means, as the call would write it."""
    if attribute.required:
        return ""
    if not (attribute.surface and cls.spec.name):
        return code(attribute.default)
    parameters = inspect.signature(CALLS[cls.spec.name]).parameters
    return code(spelling.value(parameters[attribute.name].default))


def _since(attribute: Attribute) -> str:
    """From which target on a value exists, where that is not from the first."""
    groups: dict[int, list[object]] = {}
    for member, order in attribute.since.items():
        groups.setdefault(order, []).append(member)
    return "; ".join(
        f"{', '.join(code(str(m)) for m in members)} from {Target.title_of(order)} on"
        for order, members in sorted(groups.items())
    )
