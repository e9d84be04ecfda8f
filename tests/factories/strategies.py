"""Hypothesis strategies for runs and judgments."""

from __future__ import annotations

from hypothesis import strategies as st

PASSAGES = [f"p{number}" for number in range(12)]

grades = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.5])
judged = st.dictionaries(st.sampled_from(PASSAGES), grades, max_size=10)
rankings = st.lists(st.sampled_from(PASSAGES), unique=True, max_size=12)
scored = st.dictionaries(
    st.sampled_from(PASSAGES), st.sampled_from([0.5, 1.0, 1.5, 2.0, 1.0 + 1e-12]), max_size=12
)
QUERIES = ["q1", "q2", "q3", "q4"]
judgments = st.dictionaries(st.sampled_from(QUERIES), judged, max_size=4)
runs = st.dictionaries(st.sampled_from(QUERIES), rankings, max_size=4)
scored_runs = st.dictionaries(st.sampled_from(QUERIES), scored, max_size=4)
