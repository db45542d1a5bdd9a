"""The error catalogue: every diagnostic that opennki can give, one file per thousand.

1 language, 2 instructions (2200 and up by family), 3 tensors and views, 4 textual forms and
files, 5 memory, 6 run time, 7 command line and packages, 9 internal.
"""

# ruff: noqa: F403  # each file holds catalogue entries and nothing else
from .classic import *
from .classic_language import *
from .cores import *
from .families import *
from .instruction import *
from .internal import *
from .kernels import *
from .klr import *
from .language import *
from .memory import *
from .package import *
from .roads import *
from .runtime import *
from .tensors import *
from .text import *
