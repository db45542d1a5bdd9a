"""A pure table: NKI4xxx, reading the textual and JSON forms of the representations.

Examples are in the textual form of the representation in question, not in Python.
"""

from __future__ import annotations

from opennki.base.diag import code

NKI4001 = code(
    "NKI4001",
    "unexpected text",
    "found {got} where {expected} is expected",
    hint="compare with a file that this version prints: `opennki lower` writes all forms",
    why="The reader accepts exactly what the printer writes, plus comments and spacing.",
    wrong="tensor_copy.vector dst %y, src=%x",
    right="tensor_copy.vector dst=%y, src=%x",
)

NKI4002 = code(
    "NKI4002",
    "unexpected end",
    "the text ends where {expected} is expected",
    hint="look for a bracket that is not closed, or for a file that was cut off",
    why="Every block and list has an end mark.",
    wrong="penguin.function @kernel target=cayman args=[] results=[] {",
    right="penguin.function @kernel target=cayman args=[] results=[] {\n}",
)

NKI4003 = code(
    "NKI4003",
    "unknown word",
    "there is no {kind} named `{name}`",
    hint="did you mean `{close}`?",
    why="Opcodes, dtypes, engines, memories and attributes come from fixed tables.",
    wrong="activaton.scalar dst=%y, op=Exp, data=%x",
    right="activation.scalar dst=%y, op=Exp, data=%x",
)

NKI4004 = code(
    "NKI4004",
    "name defined twice",
    "{kind} `{name}` is defined twice",
    hint="rename one of them",
    why="Names refer to one thing within a function.",
    wrong="tensor %t: float32[128, 64] sbuf\ntensor %t: float32[128, 64] sbuf",
    right="tensor %t: float32[128, 64] sbuf\ntensor %u: float32[128, 64] sbuf",
)

NKI4005 = code(
    "NKI4005",
    "name never defined",
    "{kind} `{name}` is used but not defined",
    hint="did you mean `{close}`?; define it before its first use",
    why="Storage, blocks and loop variables must be defined before an instruction names them.",
    wrong="memset.vector dst=%t, value=0.0",
    right="tensor %t: float32[128, 64] sbuf\nmemset.vector dst=%t, value=0.0",
)

NKI4006 = code(
    "NKI4006",
    "malformed number",
    "`{text}` is not {kind}",
    hint="write integers as 42 or 0x2a and floats as 1.5, 1e-3, inf or nan",
    why="Numbers are read without rounding, so that printing and reading gives the same bits.",
    wrong="memset.vector dst=%t, value=1e999",
    right="memset.vector dst=%t, value=inf",
)

NKI4007 = code(
    "NKI4007",
    "version that cannot be read",
    "this is {form} version {got}; version {want} can be read",
    hint="write the file again with a matching version",
    why="Fields and numbers of opcodes change between versions and are not guessed.",
    wrong='{"version": 1}',
    right='{"version": 2}',
)

NKI4008 = code(
    "NKI4008",
    "malformed JSON",
    "this is not JSON: {text}",
    hint="check quotes, commas and brackets near this position",
    why="The JSON forms follow RFC 8259: double quotes, no trailing commas, no comments.",
    wrong="{'name': 'kernel',}",
    right='{"name": "kernel"}',
)

NKI4009 = code(
    "NKI4009",
    "missing field",
    "{where} has no field `{field}`",
    hint="add `{field}`",
    why="The field has no default.",
    wrong='{"opcode": "Memset"}',
    right='{"opcode": "Memset", "outs": ["t"], "value": 0}',
)

NKI4010 = code(
    "NKI4010",
    "field of the wrong type",
    "field `{field}` of {where} must be {expected}, and is {got}",
    hint="write {expected}",
    why="Types are not converted while reading.",
    wrong='{"shape": "128,64"}',
    right='{"shape": [128, 64]}',
)

NKI4011 = code(
    "NKI4011",
    "unknown field",
    "{where} has no field called `{field}`",
    hint="did you mean `{close}`?; remove it if it comes from another version",
    why="An ignored field would change the meaning of the file.",
    wrong='{"opcode": "Memset", "valeu": 0}',
    right='{"opcode": "Memset", "value": 0}',
)

NKI4012 = code(
    "NKI4012",
    "unterminated string",
    "the string that begins with {text} has no closing quote on its line",
    hint="close the string, or write a line break as \\n",
    why="Strings do not continue on the next line.",
    wrong='tensor %one: int8[2] private_hbm const data="AQE=',
    right='tensor %one: int8[2] private_hbm const data="AQE="',
)

NKI4015 = code(
    "NKI4015",
    "value out of range in a text",
    "{field} is {got}; {allowed} is allowed",
    hint="write a value within {allowed}",
    why="The value would not fit the field of the representation.",
    wrong="tensor %t: float32[128, 64] sbuf address=-4",
    right="tensor %t: float32[128, 64] sbuf address=0",
)
