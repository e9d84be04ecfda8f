"""What only the terminal says."""

from __future__ import annotations

TERMINAL: dict[str, dict[str, str]] = {
    "terminal_closed": {
        "en": "{count} more under: --section {name}",
        "ko": "{count}건 더 보기: --section {name}",
    },
}
