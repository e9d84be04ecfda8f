"""Records are equal where their values are, NaN too, on every version of Python."""

from __future__ import annotations

import copy
import importlib
import json
import math
import pickle
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import PlainSerializer
from pydantic.fields import FieldInfo

import ragscore
from ragscore.messages import Message
from ragscore.records import MaybeNaN, Record
from ragscore.stats.bands import Band
from ragscore.stats.intervals import Interval
from tests.factories.thorough import examples

NAN = float("nan")  # not math.nan: another object, as one that is read from a file
NUMBERS = st.sampled_from([0.25, -0.0, 1e300])
PLAIN = {int: st.integers(0, 9), bool: st.booleans(), str: st.text("ab"), NoneType: st.none()}


def classes_of(base: type[Any]) -> Iterator[type[Any]]:
    for kind in base.__subclasses__():
        if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind:
            yield kind
        yield from classes_of(kind)


for module in pkgutil.walk_packages(ragscore.__path__, "ragscore."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
RECORDS = sorted(set(classes_of(Record)), key=lambda kind: kind.__qualname__)


def hints_of(kind: type[Any]) -> dict[str, Any]:
    """Of the fields that a record is made with."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in fields(kind) if field.init}


def values_of(hint: Any, numbers: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    """What a field may hold; text for what is no record's business, such as a measure."""
    origin, inside = get_origin(hint), [arg for arg in get_args(hint) if arg is not ...]
    if hint == MaybeNaN:
        return NUMBERS | st.just(NAN)
    if origin is Literal:
        return st.sampled_from(inside)
    if isinstance(hint, type) and issubclass(hint, Record):
        return records_of(hint, numbers)
    within = [values_of(arg, numbers) for arg in inside if origin is not Annotated]
    if origin is Annotated:
        return values_of(inside[0], numbers)
    if origin in (Union, UnionType):
        # Of what may be null for another reason, NaN is read as that.
        return st.one_of([values_of(arg if arg != MaybeNaN else float, numbers) for arg in inside])
    if origin is tuple and ... not in get_args(hint):
        return st.tuples(*within)
    if origin in (tuple, list):
        return st.lists(within[0], max_size=2).map(origin)
    if origin in (dict, Mapping):
        return st.dictionaries(*within, max_size=2)
    if origin is np.ndarray:
        return st.lists(NUMBERS | st.just(NAN), max_size=3).map(np.array)
    return numbers if hint is float else PLAIN.get(hint, PLAIN[str])


def records_of(kind: type[Any], numbers: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    return st.builds(
        kind, **{name: values_of(hint, numbers) for name, hint in hints_of(kind).items()}
    )


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__qualname__)
def test_a_record_equals_its_copies_and_differs_where_one_nan_does(kind: type[Any]) -> None:
    @settings(max_examples=examples(60))
    @given(records_of(kind, NUMBERS | st.just(NAN)))
    def check(record: Any) -> None:
        for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert record == other
            assert hash(record) == hash(other)
        for name in hints_of(kind):
            value = getattr(record, name)
            if isinstance(value, float):
                other = replace(record, **{name: 0.5 if math.isnan(value) else NAN})
                assert other != record
                assert record != other

    check()


def is_whole_in_json(hint: Any) -> bool:
    """Whether the JSON says all of it, under its own names, and nothing that follows from it."""
    origin, inside = get_origin(hint), [arg for arg in get_args(hint) if arg is not ...]
    if isinstance(hint, type) and issubclass(hint, Record):
        made_with = hints_of(hint)
        written = hint.json_schema("")["properties"]
        return written.keys() == made_with.keys() and all(map(is_whole_in_json, made_with.values()))
    if origin is Annotated and hint != MaybeNaN:
        kept = not any(isinstance(extra, (FieldInfo, PlainSerializer)) for extra in inside[1:])
        return kept and is_whole_in_json(inside[0])
    if hint == MaybeNaN or hint is float or origin is Literal:
        return True
    return all(map(is_whole_in_json, inside)) if inside else hint in PLAIN


@pytest.mark.parametrize(
    "kind", [*filter(is_whole_in_json, RECORDS)], ids=lambda kind: kind.__qualname__
)
def test_a_record_equals_what_its_json_reads_back_as(kind: type[Any]) -> None:
    @settings(max_examples=examples(60))
    @given(records_of(kind, NUMBERS))
    def check(record: Any) -> None:
        read = kind.from_dict(json.loads(json.dumps(record.to_dict(), allow_nan=False)))
        assert read == record
        assert hash(read) == hash(record)

    check()


def test_arrays_in_a_record_are_equal_by_shape_and_values() -> None:
    def band(*mean: float) -> Band:
        return Band(np.array(mean), np.array([NAN, 0.5]), np.array([[1.0, NAN]]), np.array([2]))

    assert band(NAN, 1.0) == band(NAN, 1.0)
    assert hash(band(0.0)) == hash(band(-0.0))
    assert band(0.0) == band(-0.0)
    assert band(NAN, 1.0) != band(1.0, NAN)
    assert band(1.0, 2.0) != replace(band(), mean=np.array([[1.0, 2.0]]))
    assert band(1.0) != "a band"


def test_what_is_no_record_is_compared_by_its_fields_inside_of_one() -> None:
    def sentence(number: float) -> Any:
        return Interval(0.5, NAN, level=0.95, method="t", note=Message("key {n}", {"n": (number,)}))  # type: ignore[arg-type]

    assert sentence(NAN) == sentence(float("nan"))
    assert hash(sentence(NAN)) == hash(sentence(float("nan")))
    assert sentence(NAN) != sentence(1.0)
