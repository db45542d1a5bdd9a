"""A pure table: NKI7xxx, input of the command line and packages. Examples are shell commands."""

from __future__ import annotations

from opennki.base.diag import code, note_code

NKI7001 = code(
    "NKI7001",
    "file not found",
    "there is no file {path}",
    hint="did you mean {close}?; {directory} is a directory: name a file in it{such}; {relative} "
    "are relative to the current directory",
    why="Nothing was read.",
    wrong="opennki check atention.py",
    right="opennki check attention.py",
)

NKI7002 = code(
    "NKI7002",
    "kernel not found in file",
    "{path} has no kernel `{name}`",
    hint="kernels in this file: {found}; a kernel is a function at module level with @nki.jit",
    why="The file is imported and its module-level names are searched.",
    wrong="opennki run attention.py:atention",
    right="opennki run attention.py:attention",
)

NKI7003 = code(
    "NKI7003",
    "file cannot be imported",
    "importing {path} raised {type}: {text}",
    hint="run `python {path}` to see the whole traceback",
    why="The file is ordinary Python and is executed to get at its kernels. Code that needs a "
    "device or other packages belongs under `if __name__ == '__main__'`.",
    wrong="opennki check needs_missing_module.py",
    right="pip install missing-module && opennki check needs_missing_module.py",
)

NKI7004 = code(
    "NKI7004",
    "bad --arg",
    "--arg {arg} cannot be used: {why}",
    hint="write --arg name=float32[128,512], --arg name=@file.npy, --arg name=3 or --arg name=text",
    why="An argument is an array of a dtype and shape, an array from a file, or a constant: a "
    "number, a tuple (3,4), a list, true, false, none, or a text. A colon and a word after the "
    "shape say what the array holds: ones, zeros, arange, rand, or normal, which is the default.",
    wrong="opennki run k.py --arg x=float32(128,512)",
    right="opennki run k.py --arg 'x=float32[128,512]'",
)

NKI7005 = code(
    "NKI7005",
    "kernel argument not given",
    "kernel `{kernel}` needs an argument for `{name}`",
    hint="add --arg {name}=float32[128,512] if it is an array, with its dtype and shape; "
    "add --arg {name}=3 if it is a constant",
    why="The parameter has no default, and shapes cannot be guessed.",
    wrong="opennki run k.py --arg 'x=float32[128,512]'",
    right="opennki run k.py --arg 'x=float32[128,512]' --arg 'w=float32[512,64]'",
)

NKI7006 = code(
    "NKI7006",
    "several kernels to choose from",
    "{path} has several kernels: {found}",
    hint="name one of them: {path}:name",
    why="Without a name the file must contain exactly one kernel.",
    wrong="opennki run kernels.py",
    right="opennki run kernels.py:softmax",
)

NKI7007 = code(
    "NKI7007",
    "file cannot be written",
    "{path} cannot be written: {why}",
    hint="choose another path with --output",
    why="The operating system refused.",
    wrong="opennki lower k.py --output /k.bir",
    right="opennki lower k.py --output build/k.bir",
)

NKI7008 = code(
    "NKI7008",
    "unknown error code",
    "there is no error code {got}",
    hint="did you mean {close}?; codes look like NKI2104",
    why="`explain` knows every code that any part of opennki reports.",
    wrong="opennki explain NKI9999",
    right="opennki explain NKI2104",
)

NKI7012 = code(
    "NKI7012",
    "bad value of an option",
    "`{got}` is no value of the option {option}",
    hint="the option {option} takes one of: {known}; it takes {kind}",
    why="Options are never ignored.",
    wrong="opennki run k.py:softmax --grid two",
    right="opennki run k.py:softmax --grid 2",
)

NKI7013 = code(
    "NKI7013",
    "options that exclude each other",
    "{first} and {second} cannot be used together",
    hint="leave one of them out",
    why="They ask for contradictory things.",
    wrong="opennki run script.py --grid 2",
    right="opennki run kernels.py:softmax --grid 2",
)

NKI7014 = code(
    "NKI7014",
    "binary form without a file",
    "the form {form} is binary, and is not printed",
    hint="name a file for it: --output {name}.klr; --to klr prints the same as text",
    why="Its bytes mean nothing to a person, and may change how a terminal behaves.",
    wrong="opennki lower k.py:softmax --arg 'x=f32[128,64]' --to klr-file",
    right="opennki lower k.py:softmax --arg 'x=f32[128,64]' --to klr-file -o softmax.klr",
)

NKI7015 = code(
    "NKI7015",
    "array file that cannot be used",
    "{path} does not hold a usable array: {why}",
    hint="save it with numpy.save in a supported dtype and without pickled objects",
    why="Arrays are read without pickle, because a pickle can run code.",
    wrong="opennki run k.py --arg x=@objects.npy",
    right="opennki run k.py --arg x=@floats.npy",
)

NKI7016 = code(
    "NKI7016",
    "bad description of an array",
    "`{text}` does not describe an array: {why}",
    hint="write a dtype and a shape, as in float32[128,512] or bf16[128,512]",
    why="Where contents do not matter, a text takes the place of an array. Dtypes have the names "
    "of nki.language, or short ones (f32, bf16, f16, i32, u8).",
    wrong="opennki.check(kernel, 'float[128, 512]')",
    right="opennki.check(kernel, 'float32[128, 512]')",
)

NKI7017 = code(
    "NKI7017",
    "file without kernels",
    "{path} has no kernels",
    hint="decorate a function at module level with @nki.jit",
    why="The file was imported, and none of its module-level names is a kernel.",
    wrong="def add(a, b): ...",
    right="@nki.jit\ndef add(a, b): ...",
)

NKI7018 = code(
    "NKI7018",
    "arrays that a compiled kernel was not compiled for",
    "kernel `{kernel}` was compiled for {want}, and got {got}",
    hint="give arrays of the same shapes and dtypes in the same order; compile it again for others",
    why="Shapes and dtypes are part of the compiled form; only contents may change.",
    wrong="opennki.compile(add, a, b).run(a)",
    right="opennki.compile(add, a, b).run(a, b)",
)

NKI7019 = code(
    "NKI7019",
    "NKI version that is not modelled",
    "rules of NKI {got} are not known",
    hint="leave nki out; known versions: {known}",
    why="Language rules differ between versions. Those of another version would be guesses.",
    wrong="opennki.check(kernel, 'f32[128, 64]', nki='0.1')",
    right="opennki.check(kernel, 'f32[128, 64]', nki='0.6')",
)

NKI7020 = note_code(
    "NKI7020",
    "kernel that was not checked",
    "kernel `{kernel}` was not checked: nothing is given for {names}",
    hint="add {args}, where an array is written as float32[128,512] and a constant as 3",
    why="Shapes cannot be guessed. A file is checked as far as the arguments of its kernels are "
    "known.",
    wrong="opennki check k.py",
    right="opennki check k.py --arg 'x=float32[128,512]'",
)

NKI7030 = code(
    "NKI7030",
    "time of a kernel without a device",
    "kernel `{kernel}` was simulated, and no device measured it",
    hint="leave the measurement out where there is no device",
    why="`nki.benchmark` and `nki.profile` measured on hardware. A simulator computes values; the "
    "seconds that it needs say nothing about those of a device.",
    wrong="nki.benchmark(kernel).benchmark_result.nc_latency",
    right="kernel(x)",
)

NKI7021 = code(
    "NKI7021",
    "file of which no kernel was checked",
    "nothing was checked: every kernel of {path} lacks arguments",
    hint="give the arguments that the notes name, or name a kernel: {path}:{kernel}",
    why="A file in which nothing could be checked is not a file without problems.",
    wrong="opennki check k.py",
    right="opennki check k.py --arg 'x=float32[128,512]'",
)

NKI7022 = code(
    "NKI7022",
    "command line that cannot be read",
    "{what}",
    hint="`{command} --help` lists what it takes",
    why="A command, an option or a value is missing or not known, and nothing was done.",
    wrong="opennki check k.py --jsn",
    right="opennki check k.py --json",
)

NKI7023 = code(
    "NKI7023",
    "KLR file where Python is wanted",
    "{path} is a KLR file; kernels in Python are wanted here",
    hint="`opennki lower {path} --to bir` lowers it, and `opennki klr info {path}` says what it "
    "holds",
    why="A KLR file holds a kernel that was traced already, for arguments of given shapes.",
    wrong="opennki run softmax.klr",
    right="opennki lower softmax.klr --to program",
)

NKI7024 = code(
    "NKI7024",
    "instruction not found",
    "kernel `{kernel}` has no instruction {got}",
    hint="it has {count}, numbered from 0; did you mean {close}?; a line is written {line}",
    why="An instruction is chosen by its number in the order of the text, by its name or kind, or "
    "by a line that makes it.",
    wrong="opennki stages k.py:softmax --arg 'x=f32[128,64]' --inst 1000",
    right="opennki stages k.py:softmax --arg 'x=f32[128,64]' --inst 3",
)
