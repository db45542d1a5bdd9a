"""Hand-written emit methods, one file per instruction family that needs them."""
