"""Translations: ``python -m tools.translate update`` and ``python -m tools.translate check``.

Both read every text that ragscore says: ``_("...")``, ``_c("context", "...")``, both forms of
``counted`` and ``Message("...")`` in Python, ``_("...")`` in scripts and templates of the report,
and what catalogues describe. ``update`` brings each ``ragscore/locale/*.po`` and the JSON beside it
to these texts, ``check`` says where they differ. A language begins as an empty file: ``de.po``.

Only a literal can be found, so ``_(f"...")`` is an error and no text that silently stays English.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.jslexer import tokenize, unquote_string
from babel.messages.pofile import PoFileError, generate_po, read_po
from jinja2 import Environment, nodes

HOUSE = Path(__file__).parents[1]
MESSAGES = "ragscore/messages.py"
MAKERS = (
    "ragscore/plugins.py",
    "ragscore/report/html/templates.py",
    "ragscore/scoring/conventions.py",
)
"""Where a Message is made of a text from elsewhere: of those of :func:`described`, or a template's.
"""
SAID_BY = {"_": (0,), "_c": (1,), "counted": (0, 1), "Message": (0,)}
"""By function of ragscore.messages, which of its arguments are texts."""
CONTEXT = {"_c": 0, "Message": 2}
"""By function, which argument is the context."""
HEADER = 'msgid ""\nmsgstr ""\n"Language: {}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
NO_LITERAL = 'holds something else than one "text", which no catalogue can have. Write the whole '
NO_LITERAL += "English there, with {name} for what is filled in"
IN_A_STRING = "_() in a template literal is not found. Call it before, and insert its result"


class Text(NamedTuple):
    """An English text as it is looked up."""

    template: str
    context: str = ""


Found = Iterator[tuple[int, Text | str]]
"""By line, a text, or what is wrong."""


def in_python(source: str, file: str = "") -> Found:
    """The texts of a module."""
    tree = ast.parse(source)
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {
        alias.asname or alias.name: alias.name
        for node in imported
        if node.module == "ragscore.messages"
        for alias in node.names
    }
    if file == MESSAGES:
        names = {name: name for name in SAID_BY}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = names.get(getattr(call.func, "id", ""), "")
        may_make = file == MESSAGES or (file in MAKERS and name == "Message")
        for place in SAID_BY.get(name, ()):
            template = _literal(call, place, "template")
            context = _literal(call, CONTEXT[name], "context") if name in CONTEXT else ""
            if template is not None and context is not None:
                yield call.lineno, Text(template, context)
            elif not may_make:
                yield call.lineno, f"{name}() {NO_LITERAL}"


def _literal(call: ast.Call, place: int, keyword: str) -> str | None:
    """The text of an argument; empty where it is not given, None where it is no literal."""
    given: list[ast.expr] = call.args[place : place + 1]
    given = given or [word.value for word in call.keywords if word.arg == keyword]
    if not given:
        return ""
    held = given[0].value if isinstance(given[0], ast.Constant) else None
    return held if isinstance(held, str) else None


def in_script(source: str, file: str = "") -> Found:
    """The texts of a script of the page."""
    tokens = [token for token in tokenize(source, jsx=False) if "comment" not in token.type]
    for at, token in enumerate(tokens):
        if token.type == "template_string" and re.search(r"(?<![\w$.])_\(", token.value):
            yield token.lineno, IN_A_STRING
        after = [token.value for token in tokens[at : at + 2]]
        if after != ["_", "("] or (at and tokens[at - 1].value == "function"):
            continue
        text, end = tokens[at + 2 : at + 4]
        if text.value[0] == '"' and end.value in (",", ")"):
            yield token.lineno, Text(unquote_string(text.value))
        else:
            yield token.lineno, f"_() {NO_LITERAL}"


def in_template(source: str, file: str = "") -> Found:
    """The texts of a Jinja template."""
    for call in Environment().parse(source).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "_":
            text = call.args[0] if call.args else None
            if isinstance(text, nodes.Const) and isinstance(text.value, str):
                yield call.lineno, Text(text.value)
            else:
                yield call.lineno, f"_() {NO_LITERAL}"


READERS = {"py": in_python, "js": in_script, "j2": in_template}


def described() -> Iterator[tuple[str, Text]]:
    """Files and what ``ragscore list`` and ``explain`` say of the things in them.

    A profile says its tool by ``_()`` where that is more than a name.
    """
    from ragscore.cli.listing import TABLES
    from ragscore.measures import TABLE
    from ragscore.plugins import summary_of
    from ragscore.scoring.conventions import meaning, options_of

    for kind, place in TABLES.items():
        home, _, attribute = place.partition(":")
        things = getattr(import_module(home), attribute)
        for name, own in things.own.items() if kind != "profiles" else ():
            summary = summary_of(things[name])  # what it stands for is imported now
            module = own.partition(":")[0] if isinstance(own, str) else own.__module__
            yield _file(module), Text(summary.template)
    for family in TABLE:
        for option in options_of(family):
            yield _file(family.__module__), Text(meaning(family, option).template)


def _file(module: str) -> str:
    return Path(str(sys.modules[module].__file__)).relative_to(HOUSE).as_posix()


class House:
    """The texts of a folder that holds ``ragscore/``, and its catalogues.

    Args:
        folder: it.
        besides: files and texts that no reader finds in them.
    """

    def __init__(self, folder: Path, besides: Iterable[tuple[str, Text]] = ()) -> None:
        self.catalogues = sorted((folder / "ragscore" / "locale").glob("*.po"))
        self.wrong: list[str] = []
        said: list[tuple[str, Text]] = []
        for suffix, reader in READERS.items():
            for path in (folder / "ragscore").rglob(f"*.{suffix}"):
                file = path.relative_to(folder).as_posix()
                for line, found in reader(path.read_text(encoding="utf-8"), file):
                    if isinstance(found, Text):
                        said.append((file, found))
                    else:
                        self.wrong.append(f"{file}:{line}: {found}")
        self.texts: dict[Text, list[str]] = {}
        for file, text in sorted((*said, *besides), key=lambda found: found[0]):
            if re.search(r"[^\W\d]", text.template):  # "{0}, {1}" is for no translator
                self.texts.setdefault(text, []).append(file)

    def update(self) -> Iterator[str]:
        """Bring the catalogues to the texts; says what came and went."""
        for path in self.catalogues:
            old, before = read(path), path.read_text(encoding="utf-8")
            new = Catalog()
            for text, files in self.texts.items():
                known = old.get(text.template, text.context or None)
                entry = new.add(
                    text.template,
                    known.string if known else "",
                    locations=[(file, 0) for file in files],
                    user_comments=known.user_comments if known else (),
                    context=text.context or None,
                )
                entry.flags = known.flags & {"fuzzy"} if known else set()
                if not known:
                    yield f'{path.name}: new: "{text.template}"'
            for entry in _entries(old):
                if _text(entry) not in self.texts:
                    yield f'{path.name}: gone: "{entry.id}" = "{entry.string}"'
            glossary = takewhile(re.compile("#(?![:,|.~])").match, before.splitlines(True))
            body = generate_po(new, include_lineno=False, omit_header=True, width=0)
            made = "".join((*glossary, HEADER.format(path.stem), *body)).rstrip("\n") + "\n"
            path.write_text(made, encoding="utf-8", newline="\n")
            path.with_suffix(".json").write_text(compiled(new), encoding="utf-8", newline="\n")

    def check(self) -> list[str]:
        """What is wrong: where, what, and what to do instead."""
        wrong = list(self.wrong)
        for path in self.catalogues:
            catalogue = read(path)
            for text, files in self.texts.items():
                entry = catalogue.get(text.template, text.context or None)
                problem = _problem(text, entry)
                if problem:
                    line = f":{entry.lineno}" if entry else ""
                    where = ", ".join(dict.fromkeys(files))
                    wrong.append(f'{path.name}{line}: "{text.template}" ({where}) {problem}')
            for entry in _entries(catalogue):
                if _text(entry) not in self.texts:
                    problem = "is said nowhere. Run `python -m tools.translate update`"
                    wrong.append(f'{path.name}:{entry.lineno}: "{entry.id}" {problem}')
            beside = path.with_suffix(".json")
            if not beside.exists() or beside.read_text(encoding="utf-8") != compiled(catalogue):
                problem = f"is not what {path.name} says. Run `python -m tools.translate update`"
                wrong.append(f"{beside.name} {problem}")
        return wrong


def _problem(text: Text, entry: Any) -> str:
    """What is wrong with the translation of a text; empty where nothing is."""
    if entry is None:
        return "is not in it. Run `python -m tools.translate update`, and translate it"
    if not entry.string:
        return "has no translation. Write its msgstr"
    if entry.fuzzy:
        return "is marked as fuzzy. Read its translation, and remove the mark"
    theirs, ours = (set(re.findall(r"\{(\w+)\}", said)) for said in (entry.string, text.template))
    if theirs != ours:
        names = [", ".join(f"{{{name}}}" for name in sorted(found)) for found in (theirs, ours)]
        return f"has {names[1] or 'no names'}, its translation {names[0] or 'none'}. Use the same"
    return ""


def read(path: Path) -> Catalog:
    """A catalogue.

    Raises:
        SystemExit: it is no .po file, or has a text twice, as after a merge.
    """
    text = path.read_text(encoding="utf-8")
    ids = Counter(re.findall(r'^(?:msgctxt .*\n)?msgid ".+"$', text, re.MULTILINE))
    if twice := [said for said, times in ids.items() if times > 1]:
        raise SystemExit(f"{path.name}: {twice[0]} stands there twice. Remove one of the two")
    try:
        with path.open("rb") as file:
            return read_po(file, abort_invalid=True)
    except PoFileError as error:
        raise SystemExit(f"{path.name}:{error.lineno}: {error}. Write it as .po") from error


def compiled(catalogue: Catalog) -> str:
    """A catalogue as the wheel ships it: JSON, a text a line."""
    texts = {
        f"{entry.context}\4{entry.id}" if entry.context else entry.id: entry.string
        for entry in _entries(catalogue)
        if entry.string and not entry.fuzzy
    }
    return json.dumps(dict(sorted(texts.items())), indent=0, ensure_ascii=False) + "\n"


def _entries(catalogue: Catalog) -> Iterator[Any]:
    return (entry for entry in catalogue if entry.id)


def _text(entry: Any) -> Text:
    return Text(entry.id, entry.context or "")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=("update", "check"))
    house = House(HOUSE, described())
    lines = house.check() if parser.parse_args().do == "check" else list(house.update())
    print("\n".join(lines) or "Nothing to do.")
    return 1 if lines and "check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
