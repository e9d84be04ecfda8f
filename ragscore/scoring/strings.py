"""What tables and notes of scores say, in English and Korean: the same placeholders in both."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    # The tables.
    "averaged": {
        "en": "{dataset}: {fewest} queries averaged",
        "ko": "{dataset}: 질의 {fewest}개의 평균",
    },
    "averaged_range": {
        "en": "{dataset}: {fewest} to {most} queries averaged",
        "ko": "{dataset}: 질의 {fewest} ~ {most}개의 평균",
    },
    "average": {
        "en": "average of {datasets} datasets, unweighted",
        "ko": "데이터셋 {datasets}개의 단순 평균",
    },
    "column_run": {"en": "run", "ko": "검색 결과"},
    "column_query": {"en": "query", "ko": "질의"},
    # What a reader must know to trust the means.
    "units_units": {
        "en": "the judgments name units ({unit}): each stands where its first passage does, and "
        "cutoffs count units (cutoff: units)",
        "ko": "판정이 단위({unit})를 가리킵니다. 단위는 그 첫 문단의 자리에 오며, k는 단위를 "
        "셉니다(cutoff: units)",
    },
    "units_passages": {
        "en": "the judgments name units ({unit}): a unit counts at its first passage, and cutoffs "
        "count passages (cutoff: passages)",
        "ko": "판정이 단위({unit})를 가리킵니다. 단위는 그 첫 문단에서 한 번만 세며, k는 문단을 "
        "셉니다(cutoff: passages)",
    },
    "evidence_alone": {
        "en": "evidence in documents is the ground truth: a chunk covers a need where it alone "
        "holds {share} of the characters of its evidence (coverage: {coverage})",
        "ko": "문서 안의 근거가 정답입니다. 청크 하나가 근거 글자의 {share}를 담아야 필요를 "
        "채웁니다(coverage: {coverage})",
    },
    "evidence_together": {
        "en": "evidence in documents is the ground truth: a need is covered at the rank up to "
        "which the chunks hold {share} of the characters of its evidence among them (coverage: "
        "{coverage}, together: true)",
        "ko": "문서 안의 근거가 정답입니다. 그 순위까지의 청크가 함께 근거 글자의 {share}를 담으면 "
        "필요가 채워집니다(coverage: {coverage}, together: true)",
    },
    "note_check_data": {"en": "CHECK DATA: {problem}", "ko": "데이터 확인: {problem}"},
    "note_none_averaged": {
        "en": "no query was averaged",
        "ko": "평균을 낼 질의가 없습니다",
    },
    "note_run_empty": {
        "en": "the run is empty; all queries score 0",
        "ko": "검색 결과가 비어 있어 모든 질의가 0점입니다",
    },
    "note_parts_missing": {
        "en": "parts of the run that are missing by the numbers in their names: {count} ({names})",
        "ko": "파일 이름의 번호로 보아 빠진 부분: {count}개({names})",
    },
    "note_parts_empty": {
        "en": "parts of the run without any line: {count} ({names})",
        "ko": "한 줄도 없는 부분: {count}개({names})",
    },
    "note_many_queries": {
        "en": "{count} queries give {measure} to ±{half} (95 % interval); {sample} of them, drawn "
        "at random, would give it to ±{of_sample}",
        "ko": "질의 {count}개로 {measure} 값의 95 % 신뢰구간은 ±{half}입니다. 그중 {sample}개만 "
        "무작위로 뽑아도 ±{of_sample}입니다",
    },
    "note_planned_queries": {
        "en": "there are {count} queries; {sample} of them, drawn at random, give the mean of a "
        "measure between 0 and 1 to ±{of_sample} or better (95 % interval)",
        "ko": "질의가 {count}개 있습니다. 그중 {sample}개만 무작위로 뽑아도 0과 1 사이 측도의 평균 "
        "95 % 신뢰구간은 ±{of_sample} 이내입니다",
    },
    "note_missing": {
        "en": "{count} of {n} judged queries are not in the run; they score 0 (--missing drop "
        "leaves them out)",
        "ko": "판정된 질의 {n}개 중 {count}개는 검색 결과에 없어 0점입니다(--missing drop 옵션은 "
        "이들을 뺍니다)",
    },
    "note_dropped": {
        "en": "{count} judged queries are not in the run and are left out (--missing zero counts "
        "them as 0)",
        "ko": "판정된 질의 {count}개는 검색 결과에 없어 뺐습니다(--missing zero 옵션은 이들을 "
        "0점으로 셉니다)",
    },
    "note_empty": {
        "en": "{count} of {n} judged queries got nothing; they score 0",
        "ko": "판정된 질의 {n}개 중 {count}개는 받은 문단이 없어 0점입니다",
    },
    "note_without_judgments": {
        "en": "{count} queries of the run have no judgments; ignored",
        "ko": "검색 결과의 질의 {count}개는 판정이 없어 무시합니다",
    },
    "note_unanswerable": {
        "en": "{count} unanswerable queries are left out; {answered} of them got something",
        "ko": "답 없는 질의 {count}개는 뺐습니다. 그중 {answered}개는 문단을 받았습니다",
    },
    "note_without_relevant": {
        "en": "{count} of {n} judged queries have no relevant passage; they score 0",
        "ko": "판정된 질의 {n}개 중 {count}개는 적합한 문단이 없어 0점입니다",
    },
    "note_duplicates": {
        "en": "{count} passages came back twice for a query; the first is kept, whatever its score "
        "(--strict refuses them)",
        "ko": "한 질의에 두 번 나온 문단이 {count}개 있습니다. 점수와 관계없이 첫 번째만 씁니다"
        "(--strict 옵션은 이를 오류로 봅니다)",
    },
    "note_unreached": {
        "en": "no grade reaches relevant_from={threshold} (the largest is {largest}), so measures "
        "that look for it are 0",
        "ko": "relevant_from={threshold} 이상인 등급이 없어(가장 큰 등급 {largest}) 이를 쓰는 "
        "측도는 0입니다",
    },
    "note_tied": {
        "en": "queries with a tie across a cutoff: {listed}",
        "ko": "순위 한계에 동점이 걸친 질의: {listed}",
    },
    "tied_at": {
        "en": "{queries} ({share}) at {cutoff}",
        "ko": "{cutoff}위에서 {queries}개({share})",
    },
    # What explains a measure.
    "explain_aliases": {"en": "also understood: {names}", "ko": "다른 이름: {names}"},
    "explain_label": {
        "en": "its mean is printed as {label}",
        "ko": "평균의 표기: {label}",
    },
    "explain_no_trec": {
        "en": "trec_eval: has no such measure with these options",
        "ko": "trec_eval: 이런 선택의 측도가 없음",
    },
    "explain_definition": {"en": "Definition", "ko": "정의 (영어)"},
    "explain_options": {
        "en": "Options, the default first",
        "ko": "선택 항목, 기본값 먼저",
    },
    "explain_no_options": {"en": "Options: none", "ko": "선택 항목: 없음"},
    "explain_profiles": {
        "en": "Under each profile, with the value in the example below",
        "ko": "프로필별 측도와 아래 예에서의 값",
    },
    "explain_example": {
        "en": "Example: one query, {passages} passages returned; judged: {grades}",
        "ko": "예: 질의 하나에 문단 {passages}개를 검색함. 판정: {grades}",
    },
    "explain_forbidden": {
        "en": "Forbidden: {passages}.",
        "ko": "금지된 문단: {passages}.",
    },
    "explain_relevant": {
        "en": "R = {relevant} relevant (grade >= {grade}); {passages} passages in the corpus",
        "ko": "R = 적합 문단 {relevant}개(등급 >= {grade}), 말뭉치의 문단 {passages}개",
    },
    "column_measure": {"en": "Measure", "ko": "측도"},
    "column_profiles": {"en": "Profiles", "ko": "프로필"},
    "column_rank": {"en": "rank", "ko": "순위"},
    "column_passage": {"en": "passage", "ko": "문단"},
    "column_score": {"en": "score", "ko": "점수"},
    "column_grade": {"en": "grade", "ko": "등급"},
    "unjudged": {"en": "unjudged", "ko": "판정 없음"},
}

STRINGS = StringTable(TEXTS)
