"""KLR files: kernels that come from elsewhere, taken to BIR and to programs, and kernels saved.

A file is in one of three forms: CBOR, which also says a version and a format, JSON, or an
S-expression. Constants are files of their own, beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from opennki.base.codes import NKI4101, NKI4111, NKI7007, NKI7013
from opennki.base.diag import Diagnostic, NkiError, Severity, fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.target import Target

from .compiled import text_of
from .kernels import existing

if TYPE_CHECKING:
    from opennki import birpy, klr
    from opennki.backend.program import Program

SUFFIX: Final = ".klr"
_BEGIN: Final = 4096
_NAMES: Final = {"cbor": "CBOR", "json": "JSON", "sexp": "S-expression"}


def is_klr(path: str) -> bool:
    """Whether the file at `path` is named as a KLR file, or begins like one and is not Python's."""
    from opennki import klr  # when first needed, as in `compiled`

    file = Path(path)
    if file.suffix == SUFFIX:
        return True
    if file.suffix in (".py", "") or not file.is_file():
        return False
    try:
        with file.open("rb") as stream:
            return klr.detect(stream.read(_BEGIN)) != ""
    except OSError:
        return False


@dataclass(frozen=True)
class KlrSource:
    """A KLR file that was read.

    Attributes: path; size in bytes; form, its name; version and format, None where the form does
    not say them; contents.
    """

    path: str
    size: int
    form: str
    version: tuple[int, int, int] | None
    format: str | None
    contents: klr.Contents

    def summary(self) -> klr.Summary:
        """What the contents are, in numbers and names."""
        from opennki import klr

        return klr.summary(self.contents)

    def kernel(self) -> klr.LncKernel:
        """The kernel, with its constants.

        Raises: NKI4109 if the file holds an earlier stage of one, NKI4110 for a constant that
        cannot be read.
        """
        from opennki import klr
        from opennki.lower.beta2.stored import launched

        found = launched(self.contents)
        found.constants = klr.read_constants(Path(self.path).parent, found)
        return found


def read_klr(path: str) -> KlrSource:
    """The KLR file at `path`, in any of its forms.

    Raises: NKI7001 if there is no file, NKI4111 if it cannot be read; NKI41xx and NKI40xx, with the
        byte or the line and column, for what is not as it should be.
    """
    file = existing(path)
    try:
        octets = file.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise fail(NKI4111, UNKNOWN, file=path, why=why) from None
    try:
        return _read(octets, path)
    except NkiError as error:
        raise NkiError(map(_in_file, error.diagnostics)) from None


def _in_file(found: Diagnostic) -> Diagnostic:
    """`found`, which says of what file it is if it has no line to say it with."""
    if found.line or found.file in found.message:
        return found
    return replace(found, notes=[*found.notes, f"in the file {found.file}"])


def _read(octets: bytes, path: str) -> KlrSource:
    from opennki import klr

    form = klr.detect(octets[:_BEGIN])
    if form in ("json", "sexp"):
        read = klr.from_json if form == "json" else klr.from_sexp
        contents = read(_decoded(octets, path), path)
        return KlrSource(path, len(octets), _NAMES[form], None, None, contents)
    file = klr.read(octets, path)
    return KlrSource(path, len(octets), _NAMES["cbor"], file.version, file.format, file.contents)


def _decoded(octets: bytes, path: str) -> str:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError as error:
        got = f"with {octets[error.start : error.start + 1].hex()}"
        raise fail(
            NKI4101, SrcLoc(path, 0), offset=error.start, got=got, expected="UTF-8",
            where="the text",
        ) from None  # fmt: skip


def save_klr(kernel: klr.LncKernel, path: str) -> None:
    """Write `kernel` to a file at `path`, and its constants to files beside it.

    Raises: NKI7007 if that cannot be.
    """
    from opennki import klr

    save_constants(kernel, path)
    try:
        Path(path).write_bytes(klr.write(kernel))
    except OSError as error:
        raise fail(NKI7007, UNKNOWN, path=path, why=error.strerror or str(error)) from None


def save_constants(kernel: klr.LncKernel, path: str) -> None:
    """Write the constants of `kernel` beside the file at `path`, and name them in it.

    Raises: NKI7007 if that cannot be.
    """
    from opennki import klr

    directory = Path(path).parent
    try:
        if kernel.constants:
            next(directory.iterdir(), None)  # it must be there: writing constants would make it
            kernel.sharedConstants = klr.write_constants(directory, kernel.constants)
    except OSError as error:
        raise fail(NKI7007, UNKNOWN, path=path, why=error.strerror or str(error)) from None


class LoweredKlr:
    """The kernel of a KLR file on its way to a program for `target`.

    `klr`, `bir` and `program` are its forms, made when first asked for.
    """

    def __init__(self, source: KlrSource, target: Target) -> None:
        self.target = target
        self.klr = source.kernel()
        self.problems: list[Diagnostic] = []

    @cached_property
    def bir(self) -> birpy.Module:
        """The BIR module, before allocation.

        Raises: NkiError for every rule of KLR, of BIR or of an instruction that is violated;
            NKI4209, NKI4501 and NKI4502 for what is not lowered.
        """
        return self._lowered()

    def _lowered(self) -> birpy.Module:
        from opennki.lower import instruction_problems
        from opennki.lower.beta2.stored import lowered

        module = lowered(self.klr, self.target)
        wrong = list(instruction_problems(module, self.target))
        if wrong:
            raise NkiError(wrong)
        return module

    @cached_property
    def program(self) -> Program:
        """The allocated and scheduled program. Raises: NkiError for what the back end refuses."""
        from opennki.backend.pipeline import build

        program, self.problems = build(self._lowered(), self.target)
        if program is None or any(d.severity is Severity.error for d in self.problems):
            raise NkiError(self.problems)
        return program

    def text(self, form: str) -> str:
        """The kernel as text, as `Compiled.text`. Raises: NKI7013 for Penguin, which it has not."""
        if form == "penguin":
            raise fail(NKI7013, UNKNOWN, first="a KLR file", second="the form penguin")
        return text_of(self, form)
