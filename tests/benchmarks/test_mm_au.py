"""MM-AU: constructed records in the form of its list, its CSV file and its sheets."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.registry import load_benchmark
from tests.benchmarks.published import (
    Record,
    any_json,
    as_json,
    changed,
    dropped,
    lenient,
    refusal,
    remarks,
    touch,
)

NAME = "mm-au"
REASONS = {
    "a0": "cyclist drives on the motorway for a long time.",
    "a1": "the car drives too fast with short braking distance.",
    "a2": "the car drives with a legal speed.",
    "a3": "the car tires fall off when driving.",
    "a4": "the car driver is in distracted driving.",
}
LISTED: Record = {
    "video_id": "6838",
    "num_option": 5,
    "qid": "0",
    **REASONS,
    "answer": "1",
    "question": "what is the cause of the accident?",
    "video_name": "43-001315",
}
TABLED: Record = {
    "video_id": "6838",
    "frame_count": "79",
    "width": "",
    "height": "",
    "question": "what is the cause of the accident?",
    "answer": "1",
    "qid": "0",
    "type": "43",
    **REASONS,
    "video_name": "43-001315",
    "video": "1315",
}
SHEET: Record = {
    "video": "001315",
    "type": 43.0,
    "tai": 16.0,
    "question": "what is the cause of the accident?",
    "answer": 1.0,
    **REASONS,
}
DADA: Record = {
    "video": "093",
    "type": 11.0,
    "accident frame": 204.0,
    "question": "what is the cause of the accident?",
    "answer": 3.0,
    **REASONS,
}


def as_csv(path: Path, *records: Record) -> Path:
    """Write *records* as the authors' table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(records[0]))
        table.writeheader()
        table.writerows(records)
    return path


def as_sheet(path: Path, *records: Record) -> Path:
    """Write *records* as an Excel workbook; numbers stay numbers."""
    openpyxl = pytest.importorskip("openpyxl")
    path.parent.mkdir(parents=True, exist_ok=True)
    book = openpyxl.Workbook()
    for cells in (list(records[0]), *(list(r.values()) for r in records)):
        book.active.append(cells)
    book.save(path)
    return path


def test_list_is_read_as_published(tmp_path: Path) -> None:
    """The answer is a place written as text; the video is a folder of pictures."""
    as_json(tmp_path / "ArA label/test.json", [LISTED])
    made = load_benchmark(NAME, tmp_path)
    (question,) = made.questions
    assert question.id == "43-001315"
    assert question.texts[question.answer] == REASONS["a1"]
    assert question.chance == 1 / 5
    assert question.task == "accident reason"
    assert question.video == "CAP-DATA/43/001315/images"
    assert question.excerpt.picture_rate == 30
    assert question.extra == {"type": 43, "video_id": "6838"}
    assert made.root == tmp_path


def test_forms_are_the_same_questions(tmp_path: Path) -> None:
    """Numbers as text, as numbers and with lost zeros name the same video."""
    listed = load_benchmark(NAME, as_json(tmp_path / "test.json", [LISTED]))
    tabled = load_benchmark(NAME, as_csv(tmp_path / "test.csv", TABLED))
    unnamed = changed(TABLED, "video_name", ...)
    bare = load_benchmark(NAME, as_csv(tmp_path / "bare.csv", unnamed))
    sheet = load_benchmark(NAME, as_sheet(tmp_path / "test.xlsx", SHEET))
    number = {**SHEET, "video": 1315.0, "type": 43}
    numbers = load_benchmark(NAME, as_sheet(tmp_path / "n.xlsx", number))
    digests = {m.digest for m in (listed, tabled, bare, sheet, numbers)}
    assert digests == {listed.digest}


def test_dada_is_told_by_its_columns(tmp_path: Path) -> None:
    """Its numbers have three digits and its folders another place."""
    path = as_sheet(tmp_path / "testData.xlsx", DADA)
    (question,) = load_benchmark(NAME, path).questions
    assert question.id == "11-093"
    assert question.video == "DADA-DATA/11/093/images"
    assert question.extra["accident frame"] == 204


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("1", "CAP-DATA/1-10/1"),
        ("10", "CAP-DATA/1-10/10"),
        ("11", "CAP-DATA/11"),
        ("12", "CAP-DATA/12-42/12"),
        ("42", "CAP-DATA/12-42/42"),
        ("43", "CAP-DATA/43"),
        ("44", "CAP-DATA/44-62/44"),
        ("62", "CAP-DATA/44-62/62"),
    ],
)
def test_types_of_accidents_share_folders(
    tmp_path: Path, kind: str, place: str
) -> None:
    """As the authors list them; those types that have many videos have their own."""
    record = {**LISTED, "video_name": f"{kind}-001537"}
    path = as_json(tmp_path / "test.json", [record])
    assert load_benchmark(NAME, path).questions[0].video == f"{place}/001537/images"


@pytest.mark.parametrize(
    ("there", "video"),
    [
        ("CAP-DATA/1-10/5/001315/images/000001.jpg", "CAP-DATA/1-10/5/001315/images"),
        ("CAP-DATA/1-10/5/1315/images/1.jpg", "CAP-DATA/1-10/5/1315/images"),
        ("CAP-DATA/1-10/5/01315/000001.jpg", "CAP-DATA/1-10/5/01315"),
        ("CAP-DATA/5/001315/images/000001.jpg", "CAP-DATA/5/001315/images"),
    ],
)
def test_folder_is_that_on_disk(tmp_path: Path, there: str, video: str) -> None:
    """Zeros, the folder ``images`` and the folder of types differ among copies."""
    touch(tmp_path, there)
    record = {**LISTED, "video_name": "5-001315"}
    made = load_benchmark(NAME, as_json(tmp_path / "test.json", [record]))
    assert made.questions[0].video == video
    assert made.video_path(made.questions[0]).is_dir()


def test_folder_of_dada_is_that_on_disk(tmp_path: Path) -> None:
    """So it is with its videos, which may lie elsewhere than the questions."""
    touch(tmp_path, "all/DADA-DATA/11/093/images/0001.png")
    path = as_sheet(tmp_path / "questions/testData.xlsx", DADA)
    made = load_benchmark(NAME, path, videos=tmp_path / "all")
    assert made.video_path(made.questions[0]).is_dir()


def test_parts_are_files_of_their_own(tmp_path: Path) -> None:
    """The test part is the default, and the list is taken before the table."""
    as_json(tmp_path / "ArA label/test.json", [LISTED])
    as_csv(tmp_path / "ArA label/test.csv", {**TABLED, "video_name": "43-000001"})
    as_csv(tmp_path / "ArA label/val.csv", {**TABLED, "video_name": "43-000002"})
    (made,) = load_benchmark(NAME, tmp_path).questions
    assert made.id == "43-001315"
    assert load_benchmark(NAME, tmp_path, variant="val").questions[0].id == "43-000002"
    assert "data/dada/trainData.xls" in refusal(NAME, tmp_path, variant="dada-train")


def test_order_of_records_is_no_content(tmp_path: Path) -> None:
    """Ids are the authors' names, so that neither they nor the digest depend on it."""
    other = {**LISTED, "video_name": "43-000001"}
    path = tmp_path / "test.json"
    forth = load_benchmark(NAME, as_json(path, [LISTED, other]))
    back = load_benchmark(NAME, as_json(path, [other, LISTED]))
    third = load_benchmark(NAME, as_json(path, [LISTED, {**other, "answer": "2"}]))
    assert forth.digest == back.digest != third.digest


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("answer", "5", "answer '5' is not among 0 to 4"),
        ("answer", 1.5, "answer 1.5 is no place in a list"),
        ("answer", "B", "answer 'B' is no place in a list"),
        ("answer", None, "answer None is no place in a list"),
        ("a3", "", "text of option 'D' is empty"),
        ("a3", None, "None must be text"),
        ("a3", REASONS["a1"], "the answer, is given to more than one option"),
        ("a4", ..., "has no 'a4'"),
        ("question", "", "question text is empty"),
        ("video_name", "43-1234567", "is no type and number, such as '43-001315'"),
        ("video_name", "../../x", "is no type and number"),
        ("video_name", ["43", "1"], "is no type and number"),
        ("video_name", "43-1315", "id '43-001315' was already given"),
    ],
)
def test_dirty_record_is_told_and_left_out(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    """Under ``strict`` it stops the run, under ``skip`` the others are kept."""
    third = changed({**LISTED, "video_name": "43-000009"}, key, value)
    records = [LISTED, {**LISTED, "video_name": "43-000002"}, third]
    path = as_json(tmp_path / "test.json", records)
    message = refusal(NAME, path)
    assert said in message
    assert "test.json, record 3: " in message
    made = lenient(NAME, path)
    assert "43-000002" in made.by_id
    assert len(made) + len(dropped(made)) == 3


def test_wrong_reason_given_twice_is_a_remark(tmp_path: Path) -> None:
    """Some published records have one; the question can be judged and is used."""
    record = {**LISTED, "a4": REASONS["a3"]}
    made = load_benchmark(NAME, as_json(tmp_path / "test.json", [record]))
    assert remarks(made) == [
        ("record 1", "offers 'the car tires fall off when driving.' more than once")
    ]


@pytest.mark.parametrize("value", ["", "x", True, 1e9, "1.5", None])
def test_row_without_a_number_is_told(tmp_path: Path, value: object) -> None:
    """Where no name is given, type and number must be whole numbers."""
    path = as_json(tmp_path / "a.json", [SHEET, {**SHEET, "video": value}])
    assert "record 2: video " in refusal(NAME, path)


@given(key=st.sampled_from(sorted({*LISTED, *SHEET, *DADA})), value=any_json)
def test_any_value_is_used_or_told(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """Whatever stands in one record, the other is kept and nothing is lost."""
    path = tmp_path_factory.getbasetemp() / NAME / "test.json"
    for record in (LISTED, SHEET, DADA):
        kept = {**LISTED, "video_name": "9-999999"}
        made = lenient(NAME, as_json(path, [kept, changed(record, key, value)]))
        assert "9-999999" in made.by_id
        assert len(made) + len(dropped(made)) == 2
