"""Folders in the form that benchmarks are published in, made for a test.

Apart from ``made.py``, which makes our own format. All records are constructed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.errors import BenchmarkError

Record = dict[str, object]

any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["../a", "/etc/x", "A", "A. b", "0", "nan", "\x00"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner)
    ),
    max_leaves=6,
)
"""Whatever a JSON file may hold where something else belongs."""


def as_json(path: Path, value: object) -> Path:
    """Write *value* at *path* and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def as_parquet(path: Path, records: Sequence[Mapping[str, object]]) -> Path:
    """Write *records* as a Parquet table, or skip the test without pyarrow."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(list(records)), path)
    return path


def touch(folder: Path, *names: str) -> None:
    """Make empty files, and the folders they are in."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def changed(record: Mapping[str, object], key: str, value: object) -> Record:
    """Return *record* with another value; `...` takes the key away."""
    rest = {k: v for k, v in record.items() if k != key}
    return rest if value is ... else {**record, key: value}


def dropped(made: Benchmark) -> list[tuple[str, str, str]]:
    """Return file, place and reason of each record that was left out."""
    return [(p.file, p.record, p.reason) for p in made.problems if p.dropped]


def remarks(made: Benchmark) -> list[tuple[str, str]]:
    """Return place and remark of each record that is odd and was used."""
    return [(p.record, p.reason) for p in made.problems if not p.dropped]


def refusal(name: str, path: Path, variant: str | None = None) -> str:
    """Return the message that loading is refused with under ``strict``."""
    with pytest.raises(BenchmarkError) as caught:
        load_benchmark(name, path, variant=variant)
    return str(caught.value)


def lenient(name: str, path: Path, variant: str | None = None) -> Benchmark:
    """Load and leave out what cannot be used."""
    return load_benchmark(name, path, variant=variant, on_bad_records="skip")
