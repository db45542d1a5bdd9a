"""Affine expressions of BIR (wire version 2): the same sums as Penguin's, under BIR's name."""

from __future__ import annotations

from opennki.base.affine import AffineExpr as BirAffineExpr
from opennki.base.affine import LoopVar

__all__ = ["BirAffineExpr", "LoopVar"]
