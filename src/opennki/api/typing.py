"""The `nki.typing` surface: annotations of kernel parameters; they have no effect."""

from __future__ import annotations

from typing import Any


class tensor:  # published name
    """``nt.tensor`` and ``nt.tensor[shape]``: the parameter is a tensor (of that shape)."""

    def __class_getitem__(cls, shape: Any) -> type[tensor]:
        return mutable_tensor if getattr(shape, "__name__", "") == "mutable" else cls


class mutable_tensor(tensor):  # published name
    """``nt.mutable_tensor``: the kernel writes the parameter."""

    __nki_mutable__ = True


__all__ = ["mutable_tensor", "tensor"]
