"""Tables of all kinds: every record comes out, or is told; constructed files."""

from __future__ import annotations

import contextlib
import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.benchmarks import _sheets
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.tables import KINDS, jsonl_of, rows
from pytest_vdg.errors import BenchmarkError
from tests.benchmarks.published import any_json, as_parquet

PACKAGES = {".parquet": "pyarrow", ".xlsx": "openpyxl", ".xls": "xlrd"}
"""Ending of a file to what must be installed to read it."""


def read(path: Path) -> tuple[list[tuple[str, dict[str, object]]], list[str]]:
    """Return what `rows` yields, and the reasons of records it could not use."""
    records = Records("made", "skip")
    found = list(rows(records, path))
    return found, [f"{p.record}: {p.reason}" for p in records.problems]


def refusal(path: Path) -> str:
    """Return the message that reading is refused with, which names the file."""
    with pytest.raises(BenchmarkError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write *content* and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_csv_places_are_lines_of_an_editor(tmp_path: Path) -> None:
    """A cell of two lines, and an empty line, do not shift what follows."""
    path = written(tmp_path, "a.csv", 'id,text\r\n1,"two\r\nlines"\r\n\r\n2,b\r\n')
    found, reasons = read(path)
    assert found == [
        ("line 2", {"id": "1", "text": "two\r\nlines"}),
        ("line 5", {"id": "2", "text": "b"}),
    ]
    assert reasons == []


def test_tsv_keeps_commas(tmp_path: Path) -> None:
    """Tabs part the cells of a ``.tsv``."""
    found, _ = read(written(tmp_path, "a.tsv", "id\ttext\n1\ta, b\n"))
    assert found == [("line 2", {"id": "1", "text": "a, b"})]


def test_cell_of_the_word_none_stays_text(tmp_path: Path) -> None:
    """Options called ``None``, ``NA`` or ``null`` are options."""
    found, _ = read(written(tmp_path, "a.csv", "a,b,c,d\nNone,NA,null,\n"))
    assert found[0][1] == {"a": "None", "b": "NA", "c": "null", "d": ""}


def test_short_csv_record_is_told_and_the_next_is_read(tmp_path: Path) -> None:
    """A record cut short costs that record only."""
    found, reasons = read(written(tmp_path, "a.csv", "a,b\n1\n2,3\n4,5,6\n"))
    assert [place for place, _ in found] == ["line 3"]
    assert reasons == [
        "line 2: has 1 cells, the first line has 2",
        "line 4: has 3 cells, the first line has 2",
    ]


def test_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    """Excel's mark in front of a CSV or JSON file changes no key."""
    found, _ = read(written(tmp_path, "a.csv", b"\xef\xbb\xbfid,b\n1,2\n"))
    assert found[0][1] == {"id": "1", "b": "2"}
    found, _ = read(written(tmp_path, "a.json", b'\xef\xbb\xbf[{"id": 1}]'))
    assert found == [("record 1", {"id": 1})]


def test_json_list_and_lines_say_the_same(tmp_path: Path) -> None:
    """Records that are no objects are told, the others come in order."""
    values: list[object] = [{"id": 1}, 7, {"id": 2}]
    listed, reasons = read(written(tmp_path, "a.json", json.dumps(values)))
    assert listed == [("record 1", {"id": 1}), ("record 3", {"id": 2})]
    assert reasons == ["record 2: must be an object, got 7"]
    lines = "\n".join(map(json.dumps, values))
    lined, reasons = read(written(tmp_path, "a.jsonl", lines))
    assert [record for _, record in lined] == [record for _, record in listed]
    assert reasons == ["line 2: must be an object, got 7"]


def test_broken_line_costs_that_line(tmp_path: Path) -> None:
    """Half a line, a key twice and NaN are told, each with its line."""
    path = written(
        tmp_path,
        "a.jsonl",
        '{"a": 1}\n{"a": \n{"a": 1, "a": 2}\n{"a": NaN}\n{"a": 3}\n',
    )
    found, reasons = read(path)
    assert [place for place, _ in found] == ["line 1", "line 5"]
    assert "line 2: not JSON" in reasons[0]
    assert reasons[1] == "line 3: key 'a' stands twice in one object"
    assert reasons[2].startswith("line 4: NaN is no JSON value")


def test_lines_may_be_lists(tmp_path: Path) -> None:
    """Some benchmarks write a list a line, which `jsonl_of` leaves as it is."""
    path = written(tmp_path, "a.jsonl", '["id", "q"]\n\n[1, "why"]\n')
    found = list(jsonl_of(Records("made", "skip"), path))
    assert found == [("line 1", ["id", "q"]), ("line 3", [1, "why"])]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b'[{"a": 1}, {"a"', "it ends in the middle"),
        ("a.json", b'[{"a": NaN}]', "NaN is no JSON value"),
        ("a.json", b'[{"a": 1e999}]', "too large a number"),
        ("a.json", b'[{"a": 1, "a": 2}]', "key 'a' stands twice"),
        ("a.json", b"[" * 100_000, "not JSON that can be read"),
        ("a.json", b'[\n{"a": "\xff"}]', "line 2 is not UTF-8: byte 0xff"),
        ("a.json", b'[\n\n\0\0"]', "line 3 holds NUL bytes"),
        ("a.json", "[1]".encode("utf-16"), "UTF-16"),
        ("a.json", b'{"a": 1}', "must hold a list"),
        ("a.json", b" \n", "the file is empty"),
        ("a.csv", b'a,b\n1,2\n"3,4\n', "the record at line 3 cannot be read"),
        ("a.csv", b"a,b,a\n1,2,3\n", "more than one column is called 'a'"),
        ("a.parquet", b"<html>not found</html>", "is not Parquet"),
        ("a.parquet", b"", "is not Parquet"),
        ("a.xlsx", b"PK\x03\x04 cut off", "is not an Excel workbook"),
        ("a.xls", b"<html>not found</html>", "is not an old Excel workbook"),
        ("a.pkl", b"anything", "no table that can be read"),
    ],
)
def test_broken_file_is_named(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    """A file that cannot be read to its end is refused, with what is wrong."""
    pytest.importorskip(PACKAGES.get(Path(name).suffix, "json"))
    assert said in refusal(written(tmp_path, name, content))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_file_is_named(tmp_path: Path, kind: str) -> None:
    """So is one that is not there."""
    assert "No such file" in refusal(tmp_path / f"none{kind}")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50)
@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, kind: str, content: bytes
) -> None:
    """No content of a file raises anything but our own error."""
    path = tmp_path_factory.mktemp("any") / f"a{kind}"
    path.write_bytes(content)
    with contextlib.suppress(BenchmarkError):
        found, _ = read(path)
        assert all(isinstance(record, dict) for _, record in found)


@given(values=st.lists(any_json, max_size=5))
def test_every_record_of_a_list_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, values: list[object]
) -> None:
    """What is read and what is told add up to what the file holds."""
    path = tmp_path_factory.mktemp("any") / "a.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    found, reasons = read(path)
    assert len(found) + len(reasons) == len(values)
    assert [r for _, r in found] == [v for v in values if isinstance(v, dict)]


def test_parquet_rows_are_python_values(tmp_path: Path) -> None:
    """Lists, whole numbers, empty cells and text come out as such, in order."""
    values = [
        {"id": i, "options": ["a", "b"], "text": None if i == 2 else f"t{i}"}
        for i in range(1, 2_001)
    ]
    found, _ = read(as_parquet(tmp_path / "a.parquet", values))
    assert [record for _, record in found] == values
    assert found[1_999][0] == "row 2000"


def test_cut_off_parquet_is_refused(tmp_path: Path) -> None:
    """Half a download is no shorter table."""
    path = as_parquet(tmp_path / "a.parquet", [{"a": i} for i in range(1_000)])
    path.write_bytes(path.read_bytes()[:-100])
    assert "is not Parquet, or not all of it" in refusal(path)


def test_parquet_with_a_hole_is_refused(tmp_path: Path) -> None:
    """Damage inside the file is told when its rows are read, not passed over."""
    path = as_parquet(tmp_path / "a.parquet", [{"a": str(i)} for i in range(5_000)])
    content = bytearray(path.read_bytes())
    content[20:2_000] = bytes(1_980)
    path.write_bytes(bytes(content))
    assert "is not Parquet, or not all of it" in refusal(path)


def test_workbook_rows_are_those_that_excel_shows(tmp_path: Path) -> None:
    """Empty rows are skipped, not closed up; short rows end in empty cells."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["video", "answer", None], [7, 1.5, "seen"], [], ["x", None, None]):
        book.active.append(row)
    path = tmp_path / "a.xlsx"
    book.save(path)
    found, _ = read(path)
    assert found == [
        ("row 2", {"video": 7, "answer": 1.5, "column 3": "seen"}),
        ("row 4", {"video": "x", "answer": None, "column 3": None}),
    ]


@pytest.mark.parametrize(("kind", "package"), PACKAGES.items())
def test_missing_package_is_named_with_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, package: str
) -> None:
    """Optional packages are asked for when a file needs them, by name."""

    def absent(name: str) -> ModuleType:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(name)
        return import_module(name)

    monkeypatch.setattr(_sheets, "import_module", absent)
    message = refusal(written(tmp_path, f"a{kind}", b"PAR1"))
    assert f"needs '{package}'" in message
    assert "pip install 'pytest-vdg[tables]'" in message
