"""Small operations on numpy arrays that several layers need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """The different values, ascending: ``np.unique`` without numpy.ma, which that loads and
    which takes longer than scoring a small run.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered: NDArray[Any] = np.sort(values, axis=None)
    new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def changes(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Where any of some columns has another value than in the row before: bool[n].

    >>> changes(np.array([3, 3, 4]), np.array([1, 1, 1])).tolist()
    [True, False, True]
    """
    changed = np.ones(len(columns[0]), dtype=bool)
    changed[1:] = False
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


def repeated(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which places [Q, depth] name what stands further up in their row; -1 names nothing.

    >>> repeated(np.array([[3, 1, 3, -1, -1, 1]], dtype=np.int32)).tolist()
    [[False, False, True, False, False, True]]
    """
    again = np.zeros(rows.shape, dtype=bool)
    depth = rows.shape[1]
    if depth < 2 or not len(rows):
        return again
    bits = depth.bit_length()
    below = (1 << bits) - 1
    small = int(rows.max()) < 1 << (31 - bits)  # small numbers are sorted faster
    keys: NDArray[np.signedinteger[Any]] = rows.astype(np.int32 if small else np.int64)
    keys <<= bits
    keys |= np.arange(depth, dtype=keys.dtype)
    keys.sort(axis=1)
    flat = keys.reshape(-1)
    same = np.zeros(len(flat), dtype=bool)
    np.greater_equal(flat[:-1] | below, flat[1:], out=same[1:])
    same[::depth] = False
    if flat.size and int(rows.min()) < 0:
        same &= flat >= 0
    at = np.flatnonzero(same)
    again.reshape(-1)[at // depth * depth + (flat[at] & below)] = True
    return again


def quantiles(values: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """What lies so far up in the values, interpolated linearly (Hyndman and Fan's type 7):
    ``np.quantile`` to the digit, without numpy.ma (see :func:`distinct`).

    Args:
        values: float64[n], at least one.
        shares: float64[k], from 0 to 1.

    >>> quantiles(np.array([4.0, 1.0, 2.0]), np.array([0.0, 0.25, 1.0])).tolist()
    [1.0, 1.5, 4.0]
    """
    places = (len(values) - 1) * shares
    below = np.floor(places).astype(np.intp)
    above = np.minimum(below + 1, len(values) - 1)
    ordered = np.partition(values, [*below.tolist(), *above.tolist()])
    low, high, part = ordered[below], ordered[above], places - below
    step = high - low
    # From half way on numpy goes back from the upper one.
    return np.asarray(np.where(part < 0.5, low + step * part, high - step * (1 - part)))


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """All of start, start + 1, ..., start + length - 1, one range after another: int64.

    >>> ranges(np.array([5, 1]), np.array([2, 3])).tolist()
    [5, 6, 1, 2, 3]
    """
    before = np.cumsum(lengths) - lengths
    all_of_them: NDArray[np.int64] = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return all_of_them


def bounds_of(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """int64[n + 1], where each of n groups begins among the entries of all, and their number.

    >>> bounds_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def first_of(
    starts: NDArray[np.integer[Any]],
    ends: NDArray[np.integer[Any]],
    values: NDArray[np.int64],
    count: int,
) -> NDArray[np.int64]:
    """For each of ``count`` places the smallest value of the intervals [start, end) that hold it:
    int64[count]; the largest number there is where none does.

    Each interval is written as two blocks of a power of two that may overlap; blocks are then
    halved, the largest first. It takes time in proportion to ``count`` times the number of sizes.
    """
    nothing = np.iinfo(np.int64).max
    found = np.full(count, nothing)
    lengths = ends - starts
    held = lengths > 0
    starts, ends, values, lengths = starts[held], ends[held], values[held], lengths[held]
    size = np.frexp(lengths.astype(np.float64))[1] - 1
    for power in range(int(size.max(initial=0)), -1, -1):
        own = size == power
        np.minimum.at(found, starts[own], values[own])
        np.minimum.at(found, ends[own] - (1 << power), values[own])
        if power:
            half = 1 << (power - 1)
            found[half:] = np.minimum(found[half:], found[:-half].copy())
    return found


def divide(
    numerator: NDArray[Any], denominator: NDArray[Any], otherwise: float = 0.0
) -> NDArray[np.float64]:
    """``numerator / denominator``, and ``otherwise`` where the denominator is 0 or less.

    >>> divide(np.array([1.0, 2.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), otherwise)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return out


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any] | None]) -> None:
    """Write each array that there is to a file of its own, ``NAME.npy``."""
    for name, array in arrays.items():
        if array is not None:
            np.save(folder / f"{name}.npy", array)


def load_arrays(folder: Path, names: Iterable[str], *, mapped: bool = False) -> dict[str, Any]:
    """The arrays that :func:`save_arrays` wrote, by name.

    Args:
        folder: with their files.
        names: which of them.
        mapped: leave them in their files until they are used.

    Raises:
        Exception: any; a file is missing or damaged.
    """
    mode: Literal["r"] | None = "r" if mapped else None
    # Plain arrays: a numpy.memmap runs Python code at every slice.
    return {
        name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode=mode, allow_pickle=False))
        for name in names
    }


def check_whole(path: Path) -> None:
    """Check that a file of ``np.save`` is as long as its header says.

    C's buffered output, through which numpy writes, says nothing of the last block of a file that
    a full disk does not take.

    Raises:
        OSError: it is shorter.
    """
    with path.open("rb") as file:
        header = read_header(file)
        if header is None:
            return
        size = math.prod(header.shape) * header.dtype.itemsize
        if path.stat().st_size < file.tell() + size:
            raise OSError(f"{path.name} is cut short")


class ArrayHeader(NamedTuple):
    """What a file of ``np.save`` says of its array."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]


def read_header(file: BinaryIO) -> ArrayHeader | None:
    """The header of a file of ``np.save``, which is then at its first number; None if the array
    has names of columns beyond Latin-1.

    Raises:
        Exception: any; it is no such file.
    """
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    return None if read is None else ArrayHeader(*read(file))
