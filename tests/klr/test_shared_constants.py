"""Shared constants: named by a hash of what they hold, and refused if they are something else."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opennki.base.diag import NkiError
from opennki.klr import Address, LncKernel, Memory, Shape, SharedConstantFile, TensorName
from opennki.klr import shared_constants as module
from opennki.klr.enums import Dtype
from opennki.klr.shared_constants import (
    embed_constants,
    embedded_constants,
    np_dtype,
    read_constants,
    write_constants,
)


def kernel_of(files: list[SharedConstantFile], *tensors: TensorName) -> LncKernel:
    return LncKernel("k", [], [], [], files, list(tensors))


def tensor(name: str, dtype: Dtype, *dims: int) -> TensorName:
    shape = Shape(dims[0], list(dims[1:]))
    size = shape.free_elements * dtype.size
    return TensorName(name, dtype, shape, Address(name, Memory.shared_hbm, dims[0], size), 1)


def test_the_name_is_a_hash_of_dtype_shape_and_values(tmp_path: Path):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    (file,) = write_constants(tmp_path, {"c": array})
    digest = sha256(b"<f4:[2, 3]" + array.tobytes()).hexdigest()
    assert file == SharedConstantFile("c", f"shared_constants/{digest}.npy")
    assert np.array_equal(np.load(tmp_path / file.fileName, allow_pickle=False), array)


def test_equal_constants_share_a_file(tmp_path: Path):
    array = np.eye(2, dtype=np.int32)
    first, second = write_constants(tmp_path, {"a": array, "b": array.copy()})
    assert (first.name, second.name) == ("a", "b")
    assert first.fileName == second.fileName
    assert len(list((tmp_path / "shared_constants").iterdir())) == 1


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.arange(6, dtype=np.float32).reshape(2, 3), Dtype.float32),
        (np.arange(6, dtype=np.float32).reshape(3, 2).T, Dtype.float32),
        (np.arange(6, dtype=">i4").reshape(2, 3), Dtype.int32),
        (np.full((2, 3), 1.5, ml_dtypes.bfloat16), Dtype.bfloat16),
        (np.full((2, 3), 1.5, ml_dtypes.float8_e4m3), Dtype.float8e4),
        (np.full((2, 3), 2, np.uint32), Dtype.float8_e4m3fn_x4),
        (np.full((2, 3), 1, np.uint8), Dtype.bool),
        (np.zeros((2, 0), np.float16), Dtype.float16),
    ],
)
def test_constants_come_back(array: np.ndarray, dtype: Dtype, tmp_path: Path):
    files = write_constants(tmp_path, {"c": array})
    found = read_constants(tmp_path, kernel_of(files, tensor("c", dtype, *array.shape)))["c"]
    assert found.dtype == np_dtype(dtype).np  # type: ignore[union-attr]
    assert found.shape == array.shape
    assert np.array_equal(found, array)


def test_a_constant_without_a_tensor_keeps_its_dtype(tmp_path: Path):
    files = write_constants(tmp_path, {"c": np.arange(3, dtype=np.int16)})
    assert read_constants(tmp_path, kernel_of(files))["c"].dtype == np.int16


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.arange(6, dtype=np.float32).reshape(3, 2).T, Dtype.float32),
        (np.full((2, 3), 1.5, ml_dtypes.bfloat16), Dtype.bfloat16),
    ],
)
def test_a_file_may_have_its_constants_in_it(array: np.ndarray, dtype: Dtype):
    files = embed_constants({"c": array})
    found = embedded_constants(kernel_of(files, tensor("c", dtype, *array.shape)))["c"]
    assert found.dtype == np_dtype(dtype).np  # type: ignore[union-attr]
    assert np.array_equal(found, array)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shared_constants/x.npy", "there are no files beside a prebuilt kernel, so it must hold "
         "them"),
        ("data:;base64,?", "it is no base64"),
        ("data:;base64,AAAA", "it is not a NumPy file of numbers in row-major order"),
    ],
)  # fmt: skip
def test_a_constant_that_is_not_in_the_file_is_refused(name: str, text: str):
    with pytest.raises(NkiError, match=f"NKI4110.*constant `c` cannot be read from .*: {text}"):
        embedded_constants(kernel_of([SharedConstantFile("c", name)]))


def test_a_constant_in_the_file_must_be_what_its_tensor_is():
    files = embed_constants({"c": np.zeros((2, 3), np.float32)})
    with pytest.raises(NkiError, match=r"NKI4110.*the shape \(2, 3\), and the tensor \(3, 2\)"):
        embedded_constants(kernel_of(files, tensor("c", Dtype.float32, 3, 2)))


def why(directory: Path, kernel: LncKernel) -> str:
    with pytest.raises(NkiError) as caught:
        read_constants(directory, kernel)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI4110"
    assert found.message.startswith("constant `c` cannot be read from ")
    return found.message.partition(": ")[2]


@pytest.mark.parametrize(
    "name",
    ["../k.npy", "/etc/passwd", "shared_constants/../../x.npy", "shared_constants/ab.npy", "",
     f"shared_constants/{'0' * 64}.npy\n", f"other/{'0' * 64}.npy"],
)  # fmt: skip
def test_a_file_elsewhere_is_not_opened(name: str, tmp_path: Path):
    kernel = kernel_of([SharedConstantFile("c", name)])
    assert why(tmp_path, kernel) == "files of constants are named shared_constants/<sha256>.npy"


def test_a_missing_file_is_told(tmp_path: Path):
    kernel = kernel_of([SharedConstantFile("c", f"shared_constants/{'0' * 64}.npy")])
    assert why(tmp_path, kernel) == "No such file or directory"


def test_a_changed_file_is_noticed(tmp_path: Path):
    files = write_constants(tmp_path, {"c": np.arange(3, dtype=np.int16)})
    path = tmp_path / files[0].fileName
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    kernel = kernel_of(files)
    assert why(tmp_path, kernel) == "its contents are not those that its name is the hash of"


def npy(header: str, values: bytes = b"", version: int = 1) -> bytes:
    """A NumPy file with this header."""
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes((version, 0)) + size + header.encode() + values


def header(descr: str = "'<f4'", order: str = "False", shape: str = "(1,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def into(directory: Path, octets: bytes) -> LncKernel:
    """A kernel whose constant is in a file with these bytes."""
    name = f"shared_constants/{'0' * 64}.npy"
    (directory / "shared_constants").mkdir()
    (directory / name).write_bytes(octets)
    return kernel_of([SharedConstantFile("c", name)])


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\x93NUMPY",
        npy(header()),
        npy(header(), bytes(5)),
        npy(header(), bytes(4), 4),
        npy(header(), bytes(4))[:30],
        npy(header("'|O'"), bytes(8)),
        npy(header("'<f9'"), bytes(9)),
        npy(header("__import__('os').abort()"), bytes(4)),
        npy(header(order="True"), bytes(4)),
        npy(header(shape="(1152921504606846,)")),
        npy(header(shape="(1, " * 40), bytes(4)),
        npy(header(shape="(" + "1" * 200)),
        npy(header(shape="(" + "1, " * 70 + ")"), bytes(4)),
    ],
)
def test_what_is_no_plain_array_is_refused(octets: bytes, tmp_path: Path):
    text = why(tmp_path, into(tmp_path, octets))
    assert text == "it is not a NumPy file of numbers in row-major order"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_only_the_hash_is_wrong_of_a_plain_array(version: int, tmp_path: Path):
    text = why(tmp_path, into(tmp_path, npy(header(), bytes(4), version)))
    assert text == "its contents are not those that its name is the hash of"


def test_a_large_file_is_refused_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = write_constants(tmp_path, {"c": np.zeros(100, np.int8)})
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    assert why(tmp_path, kernel_of(files)) == "it has 228 bytes; at most 100 bytes are read"


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (tensor("c", Dtype.int16, 4), "it has the shape (3,), and the tensor (4,)"),
        (tensor("c", Dtype.float16, 3), "it has the dtype int16, and the tensor float16"),
        (tensor("c", Dtype.float8e3, 3), "no values of dtype float8e3 can be held here"),
    ],
)
def test_a_constant_must_be_what_its_tensor_is(of: TensorName, text: str, tmp_path: Path):
    files = write_constants(tmp_path, {"c": np.arange(3, dtype=np.int16)})
    assert why(tmp_path, kernel_of(files, of)) == text


def test_a_pipe_is_not_waited_for(tmp_path: Path):
    (file,) = write_constants(tmp_path, {"c": np.zeros(3)})
    path = tmp_path / file.fileName
    path.unlink()
    os.mkfifo(path)
    assert why(tmp_path, kernel_of([file])) == "it is no regular file"
