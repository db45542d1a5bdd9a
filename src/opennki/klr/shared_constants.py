"""Shared constants of a kernel: one NumPy file each, named by a hash of what it holds.

A file is ``shared_constants/<sha256>.npy`` beside the KLR file; the hash covers the descriptor of
the dtype, the shape and the values, ``<f4:[2, 3]`` and the bytes. Source: KLR abstract syntax,
"File format". Model: dtypes that NumPy files lack, such as bfloat16, are written as unsigned
integers of the same size; the kernel's tensor of that name says what they are.

A KLR file that has no directory, such as a prebuilt kernel, holds its constants itself: in the
place of its name, a NumPy file is ``data:;base64,`` and its bytes. Model: the published names are
those of files, which no colon begins, so that other readers say that there is no such file.

Headers are parsed here, not by NumPy: nothing in a file is evaluated, and nothing is allocated for
more than the file has.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from math import prod
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI4110
from opennki.base.diag import NkiError, amount, fail
from opennki.base.dtypes import DType, from_bir
from opennki.base.loc import UNKNOWN

from .enums import Dtype
from .files import MAX_BYTES
from .kernel import Kernel, LncKernel, SharedConstantFile
from .syntax import walk
from .tensors import TensorName

Array = NDArray[Any]

DIRECTORY: Final = "shared_constants"

EMBEDDED: Final = "data:;base64,"
"""What the name of a constant begins with whose file is the rest of the name."""

_NO_NUMBERS: Final = "it is not a NumPy file of numbers in row-major order"
_NAME: Final = re.compile(rf"{DIRECTORY}/([0-9a-f]{{64}})\.npy")
_HEADER: Final = re.compile(
    rb"\{\s*'descr':\s*'([<>|=]?[bBiufcV][0-9]{1,3})',\s*'fortran_order':\s*(True|False),"
    rb"\s*'shape':\s*\(((?:[0-9]{1,18}(?:,\s*|(?=\))))*)\),?\s*\}\s*"
)


def write_constants(directory: Path, arrays: Mapping[str, Array]) -> list[SharedConstantFile]:
    """Write each array to its file below `directory`, which holds the KLR file.

    Equal arrays share a file. Returns: what `LncKernel.sharedConstants` says of them.
    """
    found = []
    (directory / DIRECTORY).mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        plain = _plain(array)
        file_name = f"{DIRECTORY}/{_digest(plain)}.npy"
        path = directory / file_name
        fresh = path.with_suffix(".tmp")
        fresh.write_bytes(_numpy_file(plain))
        fresh.replace(path)  # a reader sees all of the file or none of it
        found.append(SharedConstantFile(name, file_name))
    return found


def read_constants(directory: Path, kernel: LncKernel) -> dict[str, Array]:
    """The shared constants of `kernel` by name, from files below `directory`.

    Raises: NKI4110 for a file that is not there, is damaged, or is not what the kernel's tensor is.
    """
    tensors = _tensors(kernel)
    return {
        entry.name: _shaped(_read(directory, entry), entry, tensors.get(entry.name))
        for entry in kernel.sharedConstants
    }


def embed_constants(arrays: Mapping[str, Array]) -> list[SharedConstantFile]:
    """As `write_constants`, for a kernel whose file has its constants in it."""
    files = {name: base64.b64encode(_numpy_file(_plain(a))) for name, a in arrays.items()}
    return [SharedConstantFile(name, EMBEDDED + text.decode()) for name, text in files.items()]


def embedded_constants(kernel: LncKernel) -> dict[str, Array]:
    """As `read_constants`, of a kernel whose file has its constants in it.

    Raises: NKI4110 for one that is elsewhere, is damaged, or is not what the kernel's tensor is.
    """
    tensors = _tensors(kernel)
    return {
        entry.name: _shaped(_embedded(entry), entry, tensors.get(entry.name))
        for entry in kernel.sharedConstants
    }


def _embedded(entry: SharedConstantFile) -> Array:
    if not entry.fileName.startswith(EMBEDDED):
        raise _refused(entry, "there are no files beside a prebuilt kernel, so it must hold them")
    try:
        octets = base64.b64decode(entry.fileName[len(EMBEDDED) :], validate=True)
    except (binascii.Error, ValueError):
        raise _refused(entry, "it is no base64") from None
    array = _parsed(octets)
    if array is None:
        raise _refused(entry, _NO_NUMBERS)
    return array


def _numpy_file(plain: Array) -> bytes:
    octets = io.BytesIO()
    np.save(octets, plain, allow_pickle=False)
    return octets.getvalue()


def np_dtype(dtype: Dtype) -> DType | None:
    """How values of `dtype` are stored in memory; None for float8e3, which nothing here holds."""
    name = {Dtype.float8_e4m3: "float8e4", Dtype.bool: "uint8"}.get(dtype, dtype.klr)
    return None if dtype is Dtype.float8e3 else from_bir(name)


def _tensors(kernel: Kernel | LncKernel) -> dict[str, TensorName]:
    return {at.name: at for at in walk(kernel, TensorName) if isinstance(at, TensorName)}


def _plain(array: Array) -> Array:
    """`array` in row-major order, little-endian, and in a dtype that NumPy files have."""
    made = np.asarray(array, order="C")
    if made.dtype.kind == "V" or made.dtype.name not in np.sctypeDict:
        made = made.view(f"u{made.dtype.itemsize}")
    return made.astype(made.dtype.newbyteorder("<"), copy=False)


def _digest(array: Array) -> str:
    head = f"{array.dtype.str}:{list(array.shape)}"
    return sha256(head.encode() + array.tobytes()).hexdigest()


def _read(directory: Path, entry: SharedConstantFile) -> Array:
    named = _NAME.fullmatch(entry.fileName)
    if named is None:
        raise _refused(entry, f"files of constants are named {DIRECTORY}/<sha256>.npy")
    path = directory / DIRECTORY / f"{named[1]}.npy"
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):
            raise _refused(entry, "it is no regular file")
        if found.st_size > MAX_BYTES:
            raise _refused(
                entry, f"it has {amount(found.st_size)}; at most {amount(MAX_BYTES)} are read"
            )
        octets = path.read_bytes()
    except OSError as error:
        raise _refused(entry, error.strerror or type(error).__name__) from None
    array = _parsed(octets)
    if array is None:
        raise _refused(entry, _NO_NUMBERS)
    if _digest(array) != named[1]:
        raise _refused(entry, "its contents are not those that its name is the hash of")
    return array


def _parsed(octets: bytes) -> Array | None:
    """The array in a NumPy file, or None if it is none that could be here."""
    if octets[:6] != b"\x93NUMPY" or octets[6:8] not in (b"\1\0", b"\2\0", b"\3\0"):
        return None
    width = 2 if octets[6] == 1 else 4
    begin = 8 + width
    end = begin + int.from_bytes(octets[8:begin], "little")
    header = _HEADER.fullmatch(octets, begin, end)
    if header is None or header[2] == b"True":
        return None
    try:
        dtype = np.dtype(header[1].decode())
    except TypeError:
        return None
    shape = tuple(int(size) for size in header[3].replace(b",", b" ").split())
    if dtype.itemsize * prod(shape) != len(octets) - end:
        return None
    flat = np.frombuffer(octets, dtype, offset=end) if prod(shape) else np.empty(0, dtype)
    try:
        return flat.reshape(shape)
    except ValueError:  # too many dimensions, or an empty array with an impossible one
        return None


def _shaped(array: Array, entry: SharedConstantFile, of: TensorName | None) -> Array:
    """`array` in the dtype of the tensor `of`, of which it must have the shape."""
    if of is None:
        return array
    dtype = np_dtype(of.dtype)
    if dtype is None:
        raise _refused(entry, f"no values of dtype {of.dtype} can be held here")
    wrong = list(_mismatch(array, of, dtype))
    if wrong:
        raise _refused(entry, f"it has {wrong[0]}")
    return array.astype(array.dtype.newbyteorder("="), copy=False).view(dtype.np)


def _mismatch(array: Array, of: TensorName, dtype: DType) -> Iterator[str]:
    """How `array` is not what the tensor holds."""
    if array.shape != of.shape.dims:
        yield f"the shape {array.shape}, and the tensor {of.shape.dims}"
    native = array.dtype.newbyteorder("=")
    stored = np.dtype(f"u{dtype.itemsize}")
    if native not in (dtype.np, stored) and not (of.dtype is Dtype.bool and native == np.bool_):
        yield f"the dtype {array.dtype}, and the tensor {of.dtype}"


def _refused(entry: SharedConstantFile, why: str) -> NkiError:
    return fail(NKI4110, UNKNOWN, name=entry.name, file=entry.fileName[:120], why=why)
