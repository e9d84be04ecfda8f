#!/bin/sh
# A retriever without Python: words in common, the rarer the more they count.
# sh search.sh PASSAGES.jsonl reads a JSON object a line, {"id": "q1", "query": "...", "k": 10}, and
# writes one for each: {"id": "q1", "ids": ["p1", "p2"], "scores": [3.2, 1.4]}.
while IFS= read -r line; do
  printf '%s\n' "$line" | LC_ALL=C awk '
    function text_of(json, name) {
      if (!match(json, "\"" name "\": \"([^\"\\\\]|\\\\.)*\"")) return ""
      return substr(json, RSTART + length(name) + 5, RLENGTH - length(name) - 6)
    }
    function words_of(text, words) {
      text = tolower(text)
      gsub(/[^a-z0-9]+/, " ", text)
      return split(text, words, " ")
    }
    NR == 1 {
      id = text_of($0, "id")
      k = match($0, /"k": [0-9]+/) ? substr($0, RSTART + 5, RLENGTH - 5) + 0 : 10
      n = words_of(text_of($0, "query"), words)
      for (at = 1; at <= n; at++) wanted[words[at]] = 1
      next
    }
    {
      passages[NR] = text_of($0, "id")
      n = words_of(text_of($0, "title") " " text_of($0, "text"), words)
      for (at = 1; at <= n; at++)
        if ((words[at] in wanted) && !((NR, words[at]) in has)) {
          has[NR, words[at]] = 1
          holding[words[at]]++
        }
    }
    END {
      for (pair in has) {
        split(pair, parts, SUBSEP)
        score[parts[1]] += log(1 + (NR - 1) / holding[parts[2]])
      }
      for (row in score) printf "%.9f %s\n", score[row], passages[row] | "sort -k1,1nr -k2,2"
      close("sort -k1,1nr -k2,2")
      printf "%s %d\n", id, k
    }
  ' - "$1" | awk '
    { scores[NR] = $1; ids[NR] = $2 }
    END {
      k = ids[NR] < NR - 1 ? ids[NR] : NR - 1
      for (at = 1; at <= k; at++) {
        all_ids = all_ids (at > 1 ? ", " : "") "\"" ids[at] "\""
        all_scores = all_scores (at > 1 ? ", " : "") scores[at]
      }
      printf "{\"id\": \"%s\", \"ids\": [%s], \"scores\": [%s]}\n", scores[NR], all_ids, all_scores
    }
  '
done
