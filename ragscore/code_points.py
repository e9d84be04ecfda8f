"""The characters of texts as arrays: offsets everywhere count Unicode code points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LAST_WHITE = 0x3000
"""No white space lies beyond the ideographic space."""
_WHITE = np.array([*(chr(code).isspace() for code in range(_LAST_WHITE + 1)), False])


def codes_of(text: str) -> NDArray[np.uint32]:
    """The code points of a text: uint32[n], read only."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return codes.astype(np.uint32, copy=False)


def white_space(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    r"""Which characters are white space, as :meth:`str.isspace` and ``\s`` have it: bool[n].

    >>> white_space(codes_of("due\u3000on")).tolist()
    [False, False, False, True, False, False]
    """
    return _WHITE[np.minimum(codes, _LAST_WHITE + 1)]
