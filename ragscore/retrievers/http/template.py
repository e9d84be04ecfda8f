"""Templates: the fields of a query in a URL or a body, such as ``{"text": "{query}"}``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ragscore.dataset import Queries
from ragscore.dataset.conditions import OF_QUERY, Condition
from ragscore.dataset.metadata import plain
from ragscore.errors import did_you_mean
from ragscore.outside.secrets import VARIABLE, Secrets, texts_in, with_texts

FIELDS = ("query", "k", "id", "filter")
"""What a template can hold besides ``query.KEY``."""
_PART = re.compile(
    rf"(?P<variable>{VARIABLE.pattern})|(?P<open>\{{\{{)|(?P<close>\}}\}})|\{{(?P<field>[^{{}}]*)\}}"
)


def fields_in(template: Any) -> list[str]:
    """The fields that a template holds, each once, known or not.

    >>> fields_in({"text": "{query}", "year": "{query.year}", "braces": "{{k}}"})
    ['query', 'query.year']
    """
    return list(dict.fromkeys(field for text in texts_in(template) for field in _fields(text)))


def _fields(text: str) -> Iterator[str]:
    for part in _PART.finditer(text):
        if part["field"] is not None:
            yield part["field"]


def check_template(template: Any) -> None:
    """Refuse fields that no query has, and braces that YAML took for a mapping.

    Raises:
        ValueError: says what to write instead.
    """
    for field in fields_in(template):
        if field not in FIELDS and not field.removeprefix(OF_QUERY) != field:
            raise ValueError(
                f"'{{{field}}}' is not a field of a query. {did_you_mean(field, FIELDS)}, "
                f"query.KEY; write {{{{{field}}}}} for braces"
            )
        if field == OF_QUERY:
            raise ValueError("'{query.}' names no key of the metadata. Write {query.KEY}")
    for field in _unquoted(template):
        raise ValueError(f'{{{field}}} without quotes is a mapping. Write "{{{field}}}"')


def _unquoted(template: Any) -> Iterator[str]:
    """What YAML reads of ``{query}``: a mapping with one key and no value."""
    if isinstance(template, Mapping):
        for key, value in template.items():
            alone = len(template) == 1 and value is None and isinstance(key, str)
            if alone and (key in FIELDS or key.startswith(OF_QUERY)):
                yield key
            yield from _unquoted(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from _unquoted(value)


def filled(template: Any, fields: Mapping[str, Any], secrets: Secrets) -> Any:
    """Plain data with the fields of one query and the values of variables in it.

    A text that is one field alone becomes its value, so that ``"{k}"`` is a number; in other texts
    a value stands as text, or as JSON where it is none. What is put in is not looked at again.

    >>> filled({"q": "{query}", "n": "{k}", "note": "{k} of {{all}}"},
    ...        {"query": "{k} keys?", "k": 3}, Secrets({}))
    {'q': '{k} keys?', 'n': 3, 'note': '3 of {all}'}
    """

    def in_text(text: str) -> str:
        return filled_text(text, fields, secrets)

    def value_of(text: str) -> Any:
        part = _PART.fullmatch(text)
        alone = part is not None and part["field"] is not None
        return fields.get(part["field"]) if part is not None and alone else in_text(text)

    return with_texts(template, value_of, in_text)


def filled_text(
    text: str,
    fields: Mapping[str, Any],
    secrets: Secrets,
    encode: Callable[[str], str] = str,
) -> str:
    """A text with the fields of one query and the values of variables in it.

    Args:
        text: the template.
        fields: of the query.
        secrets: the variables.
        encode: how the values of fields are written, such as percent-encoded.
    """

    def put_in(part: re.Match[str]) -> str:
        if part["variable"]:
            return secrets.fill(part["variable"])
        if part["open"] or part["close"]:
            return "{" if part["open"] else "}"
        value = fields.get(part["field"])
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return encode("" if value is None else shown)

    return _PART.sub(put_in, text)


def query_fields(
    queries: Queries, row: int, k: int, conditions: Iterable[Condition]
) -> Mapping[str, Any]:
    """What the fields of a template stand for in one query.

    Args:
        queries: the block.
        row: of the query.
        k: how many passages are wanted.
        conditions: of the retriever's filter; those that do not restrict this query are left out.
    """
    metadata = queries.metadata.get(row, {})
    return {
        "query": queries.texts[row],
        "k": k,
        "id": queries.ids[row],
        "filter": [
            {"field": condition.field, "op": condition.op, "value": plain(wanted)}
            for condition in conditions
            if (wanted := condition.wanted(metadata)) is not None
        ],
        **{f"{OF_QUERY}{key}": plain(value) for key, value in metadata.items()},
    }
