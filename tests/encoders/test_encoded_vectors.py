"""What an encoder returns is checked where it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragscore.encoders import OpenEncoder
from ragscore.errors import ConfigError


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ([[1.0]], r"returned \[\[1\.0\]\] for 2 texts"),
        (np.zeros(2, dtype=np.float32), r"returned float32\[2\] for 2 texts"),
        (np.zeros((1, 3), dtype=np.float32), r"returned float32\[1, 3\] for 2 texts"),
    ],
)
def test_an_encoder_that_returns_something_else(made: object, told: str) -> None:
    class Wrong(OpenEncoder):
        def encode(self, ids: object, texts: object, role: object, stage: object = None) -> Any:
            return made

    with pytest.raises(ConfigError, match=rf"Wrong: encode {told}\. Return float32\[texts, dim"):
        Wrong().vectors(["a", "b"], ["one", "two"], "passage")
