"""Words of the report: its sections."""

from __future__ import annotations

SECTIONS: dict[str, dict[str, str]] = {
    "curves": {
        "en": "Precision and recall against k",
        "ko": "k에 따른 정밀도와 재현율",
    },
}
