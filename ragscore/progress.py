"""Progress of long work: the base class here is silent, the command line's is shown."""

from __future__ import annotations

from types import TracebackType

from ragscore.strings import StringTable

STAGES = StringTable(
    {
        "reading": {"en": "Reading {name}", "ko": "{name} 읽기"},
        "indexing": {"en": "indexing {name}", "ko": "{name} 색인"},
        "building": {"en": "building {name}", "ko": "{name} 색인 구축"},
        "cutting": {"en": "cutting passages into windows", "ko": "문단을 윈도로 나누기"},
        "encoding_passages": {"en": "encoding passages", "ko": "문단 인코딩"},
        "encoding_queries": {"en": "encoding queries", "ko": "질의 인코딩"},
        "scoring_pairs": {"en": "scoring pairs", "ko": "질의와 문단의 쌍 채점"},
        "searching": {"en": "searching {name}", "ko": "{name} 검색"},
        "searching_blocks": {"en": "searching blocks for {name}", "ko": "{name} 블록별 검색"},
        "encoding_blocks": {"en": "encoding blocks", "ko": "블록 인코딩"},
        "encoding_asked": {"en": "encoding queries", "ko": "질의 인코딩"},
        "searching_all_blocks": {"en": "searching blocks", "ko": "블록별 검색"},
        "timing": {"en": "timing {name}", "ko": "{name} 시간 측정"},
        "sweeping": {"en": "sweeping {name}", "ko": "{name} 설정 탐색"},
        "report": {"en": "report", "ko": "보고서"},
    }
)
"""What the stages are called."""


class Stage:
    """A piece of work that is under way; use it as a context manager."""

    def advance(self, count: int = 1) -> None:
        """``count`` more units are done."""

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """The work has ended, well or not."""


class Progress:
    """Silent progress. Subclasses show stages and notes; library code only calls them."""

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        """Begin a stage of ``total`` units, such as 12,000 passages to encode; the label is a note
        of :data:`STAGES` where it can be shown in several languages."""
        return Stage()

    def note(self, text: str) -> None:
        """Show one thing that the user should know but need not act on."""


SILENT = Progress()
