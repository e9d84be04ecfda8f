"""Files that are not the YAML of an experiment, and the message that each gets."""

from __future__ import annotations

from tests.factories.house import GOOD
from tests.factories.wrong_experiments import bm25

YAML_CASES: dict[str, tuple[str | bytes, str]] = {
    "key twice": (
        bm25("k1: 1", "b: 0", "k1: 2"),
        "x.yaml:7:5: retrievers.bm25.k1: the key occurs twice, first in line 5, column 5. "
        "Keep one of the two",
    ),
    "python object": (
        bm25("k1: !!python/object/apply:os.system [ls]"),
        "x.yaml:5:9: retrievers.bm25.k1: the tag !!python/object/apply:os.system: a "
        "configuration is plain data. Leave out the tag, and write text, numbers, lists or "
        "keys with values",
    ),
    "tag of one's own": (
        bm25("k1: !env K1"),
        "x.yaml:5:9: retrievers.bm25.k1: the tag !env: a configuration is plain data. Leave "
        "out the tag, and write text, numbers, lists or keys with values",
    ),
    "merge of something else": (
        bm25("<<: [k1, 2]"),
        "x.yaml:5:5: retrievers.bm25.<<: what is merged is not a mapping. Write <<: *name, after "
        "&name before a mapping, or <<: [*one, *other]",
    ),
    "tab": (
        bm25("k1: 1") + "\tb: 1\n",
        "x.yaml:6:1: a tab in the indentation. Indent with spaces",
    ),
    "open bracket": (
        GOOD + "measures: [P@1, R@1\n",
        "x.yaml:4:11: not YAML: the list that begins here with [ never ends. Add ']' or ','",
    ),
    "open quote": (
        GOOD + "description: 'it\n",
        "x.yaml:4:14: not YAML: text in quotes that begins here never ends. Add the closing quote",
    ),
    "colon in text": (
        GOOD + "description: note: this\n",
        "x.yaml:4:18: not YAML: ': ' where no key can be. Put text that holds ': ' in "
        "quotes; a key in the line above needs ': ' with its space",
    ),
    "bad indentation": (
        "dataset: statutes\n retrievers:\n  a: 1\n",
        "x.yaml:2:12: not YAML: ': ' where no key can be. Put text that holds ': ' in "
        "quotes; a key in the line above needs ': ' with its space",
    ),
    "two documents": (
        GOOD + "---\nname: b\n",
        "x.yaml:4:1: a second document begins here. One file holds one experiment",
    ),
    "a list": (
        "- statutes\n- bm25\n",
        "x.yaml:1:1: a list where an experiment is expected. Write keys with values: "
        "dataset: ..., retrievers: ...",
    ),
    "empty": (
        "# nothing yet\n",
        "x.yaml: empty. An experiment names at least a dataset and its retrievers",
    ),
    "alias without anchor": (
        "dataset: *statutes\n",
        "x.yaml:1:10: the alias *statutes has no anchor &statutes before it. Quote the text, "
        "or write the anchor &statutes first",
    ),
    "Latin-1": (
        GOOD.encode() + b"description: caf\xe9\n",
        "x.yaml:4:17: not UTF-8: the byte 0xE9. Save the file as UTF-8; it may be Latin-1 or "
        "another older encoding",
    ),
    "UTF-16": (
        GOOD.encode("utf-16"),
        "x.yaml: UTF-16, not UTF-8. Save the file as UTF-8",
    ),
    "control character": (
        GOOD + "description: a\x1b[31mb\n",
        "x.yaml:4:15: the character U+001B, which text cannot hold. Delete it: it is "
        "invisible in most editors",
    ),
    "a bare no": (
        GOOD + "strict: no\n",
        "x.yaml:4:9: strict: no without quotes is read as false by some YAML tools. Write "
        "false, or 'no' with quotes for the text",
    ),
    "a bare on as a name": (
        GOOD + "  on: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.on: on without quotes is read as true by some YAML tools. "
        "Write true, or 'on' with quotes for the text",
    ),
    "a number as a name": (
        GOOD + "  2024: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.2024: the key is not text. Write '2024' with quotes",
    ),
    "a date as text": (
        GOOD + "description: 2024-01-31\n",
        "x.yaml:4:14: description: 2024-01-31 without quotes is read as a date by some YAML "
        "tools. Write '2024-01-31' with quotes for the text",
    ),
    "a number as text": (
        GOOD + "description: 7\n",
        "x.yaml:4:14: description: the number 7 where text is expected. Write it in quotes",
    ),
}
