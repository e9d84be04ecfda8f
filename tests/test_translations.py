"""``tools/translate.py``: catalogues follow the texts of the code, and what they lack is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ragscore
from ragscore.report.html.assets import script, script_texts
from tools.translate import HOUSE, House, Text, described, in_python, in_script, in_template

IMPORT = "from ragscore.messages import Message, _, _c, counted\n"
CODE = f'''{IMPORT}
def said(n, name):
    """Not this: _("a docstring")."""
    return _(
        "{{n}} found "
        "in {{name}}", n=n, name=_("the {{kind}}", kind=Message("file"))
    ), counted("1 query", "{{count}} queries", n), _c("of a door", "Open"), _("Open"), _("{{0}}: ")
'''
PAGE = """
function _(template, facts) { return template; }
// _("a comment")
const shown = _("Show all", {n: _("inner")}) + `${n} here`;
"""
TEMPLATE = '<p title="{{ _("Copy") }}">{{ _("{n} found in {name}", n=1, name="x") }}</p>'
OLD = """\
# Glossary: query is 질의.
#
msgid ""
msgstr ""
"POT-Creation-Date: 2026-11-24 11:43+0000\\n"

# Not the browser's.
#: ragscore/elsewhere.py:12
#, python-brace-format
msgid "{n} found in {name}"
msgstr "{name}에서 {n}개 찾음"

#: ragscore/a.py
msgid "Goodbye"
msgstr "잘 가"

#: ragscore/a.py
#, fuzzy
msgid "Open"
msgstr "열림?"

#~ msgid "inner"
#~ msgstr "안"
"""
NEW = """\
# Glossary: query is 질의.
#
msgid ""
msgstr ""
"Language: ko\\n"
"Content-Type: text/plain; charset=utf-8\\n"

# Not the browser's.
#: ragscore/a.py ragscore/page/page.html.j2
msgid "{n} found in {name}"
msgstr "{name}에서 {n}개 찾음"

#: ragscore/a.py
msgid "the {kind}"
msgstr ""

#: ragscore/a.py
msgid "file"
msgstr ""

#: ragscore/a.py
msgid "1 query"
msgstr ""

#: ragscore/a.py
msgid "{count} queries"
msgstr ""

#: ragscore/a.py
msgctxt "of a door"
msgid "Open"
msgstr ""

#: ragscore/a.py
#, fuzzy
msgid "Open"
msgstr "열림?"

#: ragscore/list.py
msgid "A line of a list"
msgstr ""

#: ragscore/page/page.html.j2
msgid "Copy"
msgstr ""

#: ragscore/page/page.js
msgid "Show all"
msgstr ""

#: ragscore/page/page.js
msgid "inner"
msgstr ""
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder with a module, a script, a template and an old catalogue."""
    written = {
        "a.py": CODE,
        "page/page.js": PAGE,
        "page/page.html.j2": TEMPLATE,
        "locale/ko.po": OLD,
        "locale/de.po": "",
    }
    for name, text in written.items():
        path = tmp_path / "ragscore" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_catalogues_of_ragscore_are_complete() -> None:
    assert House(HOUSE, described()).check() == []


def test_update_brings_every_catalogue_to_the_texts(house: Path) -> None:
    besides = [("ragscore/list.py", Text("A line of a list"))]
    lines = list(House(house, besides).update())
    locale = house / "ragscore" / "locale"
    assert (locale / "ko.po").read_text(encoding="utf-8") == NEW
    assert 'ko.po: gone: "Goodbye" = "잘 가"' in lines
    assert 'ko.po: new: "file"' in lines
    assert (locale / "ko.json").read_bytes().decode() == (
        '{\n"{n} found in {name}": "{name}에서 {n}개 찾음"\n}\n'
    ), "what is fuzzy or empty stays English"
    german = (locale / "de.po").read_text(encoding="utf-8")
    assert german.startswith('msgid ""\nmsgstr ""\n"Language: de\\n"\n')
    assert german.count("\nmsgid ") == NEW.count("\nmsgid ") - 1
    assert list(House(house, besides).update()) == []
    assert (locale / "ko.po").read_text(encoding="utf-8") == NEW, "a second update changes nothing"


def test_a_context_stands_in_front_of_the_english(house: Path) -> None:
    list(House(house).update())
    path = house / "ragscore" / "locale" / "ko.po"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('msgid "Open"\nmsgstr ""', 'msgid "Open"\nmsgstr "열기"'), "utf-8")
    list(House(house).update())
    assert '"of a door\\u0004Open": "열기"' in path.with_suffix(".json").read_text("utf-8")


ENTRY = 'msgid "{n} found"\nmsgstr "{n}개 찾음"\n'
JSON = '{\n"{n} found": "{n}개 찾음"\n}\n'


@pytest.mark.parametrize(
    ("catalogue", "shipped", "problem"),
    [
        (ENTRY, JSON, ""),
        ("", "{}\n", 'ko.po: "{n} found" (ragscore/a.py) is not in it. Run `python -m tools.'),
        (
            'msgid "{n} found"\nmsgstr ""\n',
            "{}\n",
            'ko.po:1: "{n} found" (ragscore/a.py) has no translation. Write its msgstr',
        ),
        (
            ENTRY.replace("{n}개", "{m}개"),
            JSON.replace("{n}개", "{m}개"),
            'ko.po:1: "{n} found" (ragscore/a.py) has {n}, its translation {m}. Use the same',
        ),
        (
            ENTRY.replace("{n}개", "몇 개"),
            JSON.replace("{n}개", "몇 개"),
            'ko.po:1: "{n} found" (ragscore/a.py) has {n}, its translation none. Use the same',
        ),
        (
            f"#, fuzzy\n{ENTRY}",
            "{}\n",
            'ko.po:2: "{n} found" (ragscore/a.py) is marked as fuzzy. Read its translation',
        ),
        (
            f'{ENTRY}\nmsgctxt "of a door"\nmsgid "{{n}} found"\nmsgstr "{{n}}"\n',
            '{\n"of a door\\u0004{n} found": "{n}",\n"{n} found": "{n}개 찾음"\n}\n',
            'ko.po:5: "{n} found" is said nowhere. Run `python -m tools.translate update`',
        ),
        (ENTRY, "{}\n", "ko.json is not what ko.po says. Run `python -m tools.translate update`"),
    ],
    ids=["right", "absent", "empty", "name", "no name", "fuzzy", "unused", "JSON"],
)
def test_check_says_what_a_catalogue_lacks(
    catalogue: str, shipped: str, problem: str, tmp_path: Path
) -> None:
    locale = tmp_path / "ragscore" / "locale"
    locale.mkdir(parents=True)
    (locale.parent / "a.py").write_text(f'{IMPORT}said = _("{{n}} found", n=1)\n', "utf-8")
    (locale / "ko.po").write_text(catalogue, "utf-8")
    (locale / "ko.json").write_text(shipped, "utf-8")
    wrong = House(tmp_path).check()
    assert len(wrong) == bool(problem)
    assert problem in "".join(wrong)


def test_a_file_that_is_no_catalogue_is_refused_with_its_line(house: Path) -> None:
    path = house / "ragscore" / "locale" / "ko.po"
    path.write_text(f"{NEW}\n<<<<<<< HEAD\n", "utf-8")
    with pytest.raises(SystemExit, match=r"ko\.po:\d+: "):
        House(house).check()


def test_a_text_that_a_merge_left_twice_loses_no_translation(house: Path) -> None:
    path = house / "ragscore" / "locale" / "ko.po"
    path.write_text(f"{NEW}\n{ENTRY}\n{ENTRY}", "utf-8")
    with pytest.raises(SystemExit, match=r'ko\.po: msgid "{n} found" stands there twice'):
        list(House(house).update())


@pytest.mark.parametrize(
    "call",
    [
        '_(f"{n} found")',
        "_(name)",
        '_("a" + b)',
        '_("one" if n == 1 else "many")',
        '_c(context, "Open")',
        '_c("of a door", name)',
        'counted("1 query", name, n)',
        "Message(template, {})",
        'Message("Open", {}, context)',
        "_(*texts)",
    ],
)
def test_what_is_no_literal_is_an_error(call: str) -> None:
    found = [found for _, found in in_python(f"{IMPORT}said = {call}\n")]
    assert any("something else than one" in str(text) for text in found)


def test_a_message_of_any_text_is_made_where_catalogues_are_described() -> None:
    code = f"{IMPORT}said = Message(summary)\nother = _(name)\n"
    found = [line for line, _ in in_python(code, "ragscore/plugins.py")]
    assert found == [3]


def test_underscores_of_others_are_no_texts() -> None:
    assert list(in_python('from gettext import gettext as _\nsaid = _(f"{name}")\n')) == []
    assert list(in_python("for _ in range(3): strings.counted(name, 3)\n")) == []


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("p.textContent = `${_('All')} of them`;", "in a template literal"),
        ("p.textContent = _(name);", "something else than one"),
        ("p.textContent = _(`All`);", "something else than one"),
        ("p.textContent = _('All');", "something else than one"),
        ('p.textContent = _("All " + n);', "something else than one"),
        ("p.textContent = _(n === 1 ? 'one' : 'many');", "something else than one"),
    ],
)
def test_what_a_script_cannot_say(script: str, problem: str) -> None:
    ((line, found),) = in_script(f"\n{script}")
    assert line == 2
    assert problem in str(found)


def test_the_page_holds_what_is_found_in_its_scripts() -> None:
    assert {text for _, text in in_script(script())} == set(map(Text, script_texts()))


def test_a_template_says_literals() -> None:
    ((line, found),) = in_template("\n{{ _(name) }}")
    assert line == 2
    assert "something else than one" in str(found)


def test_what_catalogues_describe_comes_with_its_file() -> None:
    files = {text.template: file for file, text in described()}
    assert all((HOUSE / file).is_file() for file in files.values())
    assert files["share of the top k that is relevant"] == "ragscore/measures/sets.py"
    formats = "passages.csv, queries.csv, ground_truth.csv with named columns"
    assert files[formats] == "ragscore/formats/datasets/tables.py"


HANGUL_IN_CODE = {
    "anchoring/facts.py": "negations",
    "chunking/sentence_rules.py": "endings of sentences, enumerators",
    "dataset/byte_texts.py": "an example",
    "diagnose/text_faults.py": "ranges of letters",
    "elements/table_files.py": "the range of Hangul",
    "elements/plain.py": "an example",
    "encoders/endpoint/request_sizes.py": "an example",
    "file_names.py": "an example",
    "formats/document_formats/page_encoding.py": "an example",
    "formats/reading/encodings.py": "an example",
    "report/charts/text_room.py": "an example",
    "text/ngrams.py": "an example",
    "text/script.py": "examples",
}
"""The modules with Korean in them, and what it is there: no sentence of ours."""


def test_korean_sentences_stand_in_the_catalogue_alone() -> None:
    package = Path(ragscore.__file__).parent
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(
            r"[가-힣]{2}|\\u(?:[aA][cC-fF]|[bBcC][0-9a-fA-F]|[dD][0-6])[0-9a-fA-F]{2}",
            path.read_text(encoding="utf-8"),
        )
    }
    assert found == HANGUL_IN_CODE.keys()
    modules = [path.relative_to(package).as_posix() for path in package.rglob("*.py")]
    assert [module for module in modules if "strings" in module] == ["docstrings.py"]
