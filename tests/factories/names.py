"""Names of retrievers as people may write them: the odd ones above all."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from ragscore.file_names import name_problem

_LETTERS = st.sampled_from(
    [*" .,;=+-@()[]{}#%&$!~^`'_", *"가検éßİﬁИبאกकि👍𝒳､＝aZ0", "\u0301"]  # noqa: RUF001
)
_ANY = st.characters(exclude_categories=["Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp"])
_WORDS = st.sampled_from(
    ["null", "true", "no", "1e3", "010", "- a", "a, b", "&a", "!x", "#x", "@x", "=1+1", "-1+2",
     "+1", "[bold]x", "{{x}}", "{% x %}", "$x$", "`x`", "_x_", "a.b", "a[1]", "a'b", "%41", "~x",
     "^x", "AVERAGE", "bm25", "{0}", "%s", "k1=0.9", "~", "__proto__", "constructor"]
)  # fmt: skip


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip(" .")


NAMES = (
    st.one_of(
        st.lists(_LETTERS, min_size=1, max_size=8).map("".join),
        st.text(_ANY, min_size=1, max_size=20),
        _WORDS,
    )
    .map(_composed)
    .filter(lambda name: name_problem(name) is None)
)
"""Names that are allowed."""
