"""`opennki klr info`: what a KLR file holds, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from opennki.base.diag import amount
from opennki.driver import KlrSource, read_klr

from .terminal import console, show_pairs

if TYPE_CHECKING:
    from opennki import klr

_KINDS: Final = {
    "python": "the syntax tree of a kernel in Python; `klr trace` makes a kernel of it",
    "nki": "the syntax tree of a kernel in NKI; `klr trace` makes a kernel of it",
    "kernel": "a kernel of one core",
    "lnc": "a kernel of a logical core",
    "hlo": "the name of a kernel that is called in a graph",
}


def klr_info(path: str, as_json: bool) -> None:
    """Print what the KLR file at `path` holds."""
    source = read_klr(path)
    found = source.summary()
    if as_json:
        print(json.dumps(_document(source, found), indent=2))
        return
    out = console()
    title = Text(path, "bold cyan")
    title.append(f": {_format(source)}, {amount(source.size)}", "not bold default")
    out.print(title)
    show_pairs(out, list(_rows(found)))


def _format(source: KlrSource) -> str:
    if source.version is None:
        return f"KLR as {source.form}"
    version = ".".join(map(str, source.version))
    return f"KLR {version}, format {source.format} in {source.form}"


def _rows(found: klr.Summary) -> Iterator[tuple[str, str]]:
    yield "contents", f"{found.kind}: {_KINDS[found.kind]}"
    if found.name:
        yield "kernel", found.name
    if not found.cores:
        return
    yield "cores", str(found.cores)
    yield "inputs", _listed(map(_tensor, found.inputs))
    yield "outputs", _listed(map(_tensor, found.outputs))
    yield "blocks", str(found.blocks)
    count = sum(n for _, n in found.operators)
    named = f", {found.named} of them with a name" if found.named else ""
    yield "statements", f"{count}{named}"
    yield "operators", _counted(found.operators)
    yield "extensions", _counted(found.extensions)
    yield "edges", str(found.edges)
    yield "constants", _listed(found.constants)
    yield "shared", _listed(found.buffers)


def _tensor(tensor: klr.TensorName) -> str:
    sizes = ", ".join(map(str, tensor.shape.dims))
    return f"{tensor.name}: {tensor.dtype}[{sizes}] {tensor.address.memory}"


def _listed(items: Iterable[str]) -> str:
    return "\n".join(items) or "none"


def _counted(counts: Iterable[tuple[str, int]]) -> str:
    """Most frequent first; of equally frequent ones, the first that appeared."""
    ordered = sorted(counts, key=lambda item: -item[1])
    return ", ".join(f"{name} {count}" for name, count in ordered) or "none"


def _document(source: KlrSource, found: klr.Summary) -> dict[str, Any]:
    plain = vars(found) | {
        "inputs": [_tensor_document(t) for t in found.inputs],
        "outputs": [_tensor_document(t) for t in found.outputs],
        "operators": dict(found.operators),
        "extensions": dict(found.extensions),
    }
    version = None if source.version is None else ".".join(map(str, source.version))
    head = {"path": source.path, "size": source.size, "form": source.form, "version": version}
    return {**head, "format": source.format, **plain}


def _tensor_document(tensor: klr.TensorName) -> dict[str, Any]:
    return {
        "name": tensor.name, "dtype": str(tensor.dtype), "shape": list(tensor.shape.dims),
        "memory": str(tensor.address.memory),
    }  # fmt: skip
