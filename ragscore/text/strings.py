"""Why a tokenizer suits a language badly, and what languages and scripts are called, in English and
Korean."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "doubt_korean": {
        "en": "passages are Korean, and the tokenizer '{tokenizer}' leaves particles and endings "
        "on their words; tokenizer: korean finds the morphemes (pip install "
        "'ragscore-eval[korean]'), and tokenizer: bigrams does well without it",
        "ko": "문단은 한국어인데 '{tokenizer}' 토크나이저는 단어에 붙은 조사와 어미를 떼지 "
        "않습니다. tokenizer: korean 설정은 형태소를 찾고(pip install "
        "'ragscore-eval[korean]'), tokenizer: bigrams 설정은 추가 설치 없이 잘 찾습니다",
    },
    "doubt_unspaced": {
        "en": "passages are {written}, which has no spaces between words, and the tokenizer "
        "'{tokenizer}' takes everything between two spaces as one term; write tokenizer: bigrams, "
        "or take an encoder that reads {written}",
        "ko": "문단은 단어 사이를 띄어 쓰지 않는 {written}인데 '{tokenizer}' 토크나이저는 공백 "
        "사이에 있는 모든 글자를 한 단어로 봅니다. tokenizer: bigrams 설정을 쓰거나 "
        "{written}에 맞는 인코더를 쓰십시오",
    },
}
STRINGS = StringTable(TEXTS)

_KOREAN = {
    "Korean": "한국어",
    "Chinese": "중국어",
    "Japanese": "일본어",
    "Cyrillic": "키릴 문자",
    "Greek": "그리스 문자",
    "Arabic": "아랍 문자",
    "Hebrew": "히브리 문자",
    "Devanagari": "데바나가리 문자",
    "Thai": "태국 문자",
}
