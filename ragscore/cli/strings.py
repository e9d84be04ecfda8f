"""The commands' own texts, in English and Korean; the texts of what they print of a result stand
where its blocks are made."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    # ragscore list
    "listed_also": {"en": "{summary} (also {names})", "ko": "{summary} (다른 이름 {names})"},
    "listed_installed": {"en": "installed: {home}", "ko": "설치됨: {home}"},
    "listed_shadowed": {
        "en": "installed, and not used: {home} (the name is ragscore's own)",
        "ko": "설치되었으나 쓰이지 않음: {home} (ragscore에 이미 있는 이름)",
    },
    # progress
    "count_pairs": {"en": "{count} pairs", "ko": "쌍 {count}개"},
    "count_pairs_one": {"en": "1 pair", "ko": "쌍 1개"},
    "stage_done": {"en": "{label}: {count} in {time}", "ko": "{label}: {count}, {time}"},
    "stage_at": {"en": "{done} of {total}", "ko": "{total} 중 {done}"},
    "stage_left": {"en": "({rate}, {time} left)", "ko": "({rate}, {time} 남음)"},
    "stage_after": {"en": "after {time}", "ko": "({time} 지남)"},
    # ragscore report, tune, view
    "folder_of_files": {"en": "{folder} ({count} files)", "ko": "{folder} (파일 {count}개)"},
    "no_page": {
        "en": "there is no page to open: --format leaves out html",
        "ko": "열 페이지가 없습니다. --format에 html이 없습니다",
    },
    "no_browser": {
        "en": "no browser could be started; open the page yourself",
        "ko": "브라우저를 시작할 수 없습니다. 페이지를 직접 여십시오",
    },
    "curves_in": {"en": "the curves are in {file}", "ko": "곡선을 {file} 파일에 적었습니다"},
    "no_results": {
        "en": "there are no results beneath {folder} yet: `ragscore run` makes one",
        "ko": "{folder} 폴더에 아직 결과가 없습니다. `ragscore run`으로 만드십시오",
    },
    "how_to_end": {"en": "Ctrl-C ends it.", "ko": "Ctrl-C를 누르면 끝납니다."},
    # ragscore list results
    "column_name": {"en": "name", "ko": "이름"},
    "column_created": {"en": "created", "ko": "작성 시각"},
    "column_dataset": {"en": "dataset", "ko": "데이터셋"},
    "column_of_queries": {"en": "queries", "ko": "질의"},
    "column_retrievers": {"en": "retrievers", "ko": "검색기"},
    "column_leader": {"en": "leader", "ko": "선두"},
    "column_verdict": {"en": "verdict", "ko": "결론"},
    "column_folder": {"en": "folder", "ko": "폴더"},
    "retrievers_failed": {"en": "{count} ({failed} failed)", "ko": "{count}(실패 {failed})"},
    "unreadable": {"en": "unreadable: {problem}", "ko": "읽을 수 없음: {problem}"},
}

STRINGS = StringTable(TEXTS)
