"""Tables as CSV: what polars reads of them."""

from __future__ import annotations

import io
import math

import polars
import pytest

from ragscore.elements import Cell, Column, Table
from ragscore.elements.plain import plain
from ragscore.elements.table_files import csv_text
from tests.factories.results import HOSTILE


def column(values: list[object], **parts: object) -> Table:
    """A table of one column."""
    rows = tuple((Cell(value, "rounded"),) for value in values)
    return Table("t", "A table", (Column("x", "label", **parts),), rows)


def read(table: Table) -> polars.DataFrame:
    return polars.read_csv(io.StringIO(csv_text(table)))


@pytest.mark.parametrize(
    ("values", "kind", "dtype", "found"),
    [
        ([1, 2, None], "number", polars.Int64, [1, 2, None]),
        ([1, 0.1, math.nan], "number", polars.Float64, [1.0, 0.1, None]),
        ([1 / 3, 5e-324, -math.inf], "number", polars.Float64, [1 / 3, 5e-324, -math.inf]),
        ([1, "not estimable", 3], "number", polars.Int64, [1, None, 3]),
        ([True, None, False], "text", polars.Boolean, [True, None, False]),
        (["a", None, 'a,b\n"c"'], "text", polars.String, ["a", None, 'a,b\n"c"']),
        (["a", 7], "text", polars.String, ["a", "7"]),
        ([None, None], "number", polars.String, [None, None]),
    ],
)
def test_a_column_is_numbers_or_truth_or_text(
    values: list[object], kind: str, dtype: object, found: list[object]
) -> None:
    series = read(column(values, kind=kind))["x"]
    assert series.dtype == dtype
    assert series.to_list() == found


def test_a_late_fraction_makes_all_of_its_column_fractions() -> None:
    """Polars reads a type from the first hundred rows."""
    assert read(column([*range(150), 0.5]))["x"].sum() == sum(range(150)) + 0.5


def test_a_record_is_three_columns_of_numbers() -> None:
    # A spreadsheet reads 1/1/9 as the first of January.
    columns = (Column("W/L/T", "W/L/T", "text", parts=("wins", "losses", "ties")),)
    rows = ((Cell("1/1/9", "1/1/9", parts=(1, 1, 9)),), (Cell(None, "-"),))
    assert csv_text(Table("t", "", columns, rows)) == '"wins","losses","ties"\n1,1,9\n,,\n'


@pytest.mark.parametrize("blank", ["", " ", "\u00a0", "\u3000", " \t"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d"])
def test_no_formula_stands_behind_blanks(blank: str, sign: str) -> None:
    text = f"{blank}{sign}1"
    assert read(column([text, "a"], kind="text"))["x"].to_list() == [f"'{text}", "a"]


def test_an_interval_is_two_columns() -> None:
    columns = (Column("name", "Name", "text"), Column("R@10", "recall", interval=True))
    rows = (
        (Cell("a", "a"), Cell(0.5, "0.500", 0.25, 0.75, "[0.250, 0.750]")),
        (Cell("b", "b"), Cell(0.5, "0.500", interval="not estimable")),
    )
    assert read(Table("t", "", columns, rows)).to_dict(as_series=False) == {
        "name": ["a", "b"],
        "R@10": [0.5, 0.5],
        "R@10 low": [0.25, None],
        "R@10 high": [0.75, None],
    }


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_no_text_is_a_formula(begins: str) -> None:
    evil = f'{begins}cmd|"/c calc"!A1'
    columns = (Column(f"{begins}1", "x", "text"),)
    frame = read(Table("t", "", columns, ((Cell(evil, "x"),), (Cell("b", "b"),))))
    assert frame.columns == [f"'{begins}1"]
    assert frame.to_series().to_list() == [f"'{evil}", "b"]


def test_a_number_below_zero_stays_a_number() -> None:
    assert csv_text(column([-0.5, -1.0])) == '"x"\n-0.5\n-1.0\n'


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_read_back(text: str) -> None:
    found = read(column([text, "other"], kind="text"))["x"].to_list()
    assert [found[0].removeprefix("'"), *found[1:]] == [plain(text).removeprefix("'"), "other"]
    assert not found[0].startswith(("=", "+", "-", "@", "\t"))
