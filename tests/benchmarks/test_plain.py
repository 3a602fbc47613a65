"""Our own annotation format: strict, and every fault with its line."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.plain import load_plain
from pytest_vdg.errors import BenchmarkError
from tests.benchmarks.made import record, write
from tests.realdata import real


def refusal(path: Path) -> str:
    """Return the message that loading *path* is refused with."""
    with pytest.raises(BenchmarkError) as caught:
        load_plain(path)
    return str(caught.value)


def test_right_file_is_read_as_written(tmp_path: Path) -> None:
    """A list of options gets the labels A, B, C in its own order."""
    path = write(tmp_path, [record(extra={"level": 2.5}), record(id="q2")])
    made = load_plain(path)
    first = made.questions[0]
    assert (made.name, made.root, len(made)) == ("mine", tmp_path, 2)
    assert dict(first.texts) == {"A": "red", "B": "green", "C": "blue"}
    assert first.answer == "B"
    assert first.extra == {"level": 2.5}


def test_source_names_file_and_content(tmp_path: Path) -> None:
    """The source says which content was read, and no folder of this machine."""
    path = write(tmp_path, [record()])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load_plain(path).source == f"mine.jsonl sha256:{digest}"


def test_generic_file_takes_its_folder_name(tmp_path: Path) -> None:
    """``traffic/questions.jsonl`` is the benchmark ``traffic``."""
    folder = tmp_path / "traffic"
    folder.mkdir()
    path = write(folder, [record()], "questions.jsonl")
    assert load_plain(path).name == "traffic"
    assert load_plain(path, name="other").name == "other"


def test_labels_may_be_given(tmp_path: Path) -> None:
    """An object of label and text keeps both, in the order of the file."""
    options = {"2": "two", "1": "one"}
    path = write(tmp_path, [record(options=options, answer="1")])
    made = load_plain(path).questions[0]
    assert made.labels == ("2", "1")
    assert made.answer == "1"


def test_answer_may_be_an_options_text(tmp_path: Path) -> None:
    """The exact text of an option names its label."""
    made = load_plain(write(tmp_path, [record(answer="blue")]))
    assert made.questions[0].answer == "C"


def test_answer_that_could_be_two_options_is_refused(tmp_path: Path) -> None:
    """Label of one option and text of another: nobody can say which was meant."""
    said = refusal(write(tmp_path, [record(options=["B", "A"], answer="A")]))
    assert "label of one option and the text of another" in said


def test_empty_lines_and_windows_line_ends_are_no_records(tmp_path: Path) -> None:
    """How an editor ends lines changes no question."""
    path = tmp_path / "mine.jsonl"
    line = json.dumps(record())
    path.write_bytes(b"\r\n" + line.encode() + b"\r\n\r\n")
    assert len(load_plain(path)) == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"options": [True, False]},
            "option 'A' must be text, got True: quote it",
        ),
        (
            {"options": ["4", 5, "6"]},
            "option 'B' must be text, got 5: quote it",
        ),
        ({"options": {"A": None, "B": "x"}}, "got None: quote it"),
        ({"answer": 1}, "answer 1 is not one of the labels A, B, C: quote it"),
        ({"answer": True}, "answer True is not one of the labels"),
        ({"answer": "b"}, "answer 'b' is not one of the labels A, B, C"),
        ({"answer": None}, "answer None"),
        ({"id": 1}, "id must be text, got 1: quote it"),
        ({"options": "red, green"}, "options must be a list"),
        ({"options": ["red"]}, "2 to 26 options, got 1"),
        ({"options": [str(i) for i in range(27)]}, "2 to 26 options, got 27"),
        ({"options": ["red", "red", "blue"]}, "text 'red' is given to more than one"),
        ({"options": ["C. x", "A. y", "B. z"]}, "labels of their own"),
        ({"options": ["(A) x", "(B) y"]}, "labels of their own"),
        ({"video": "../a.mp4"}, "leads out of the benchmark's folder"),
        ({"extra": None}, "extra must be an object"),
        ({"answers": "B"}, "unknown key 'answers'. Did you mean 'answer'?"),
    ],
)
def test_fault_is_named_with_file_and_line(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    """Every refusal says which line of which file, and why."""
    path = write(tmp_path, [record(id="fine"), record(**changed)])
    message = refusal(path)
    assert f"{path}:2: " in message
    assert said in message


def test_an_initial_is_no_label_of_its_own(tmp_path: Path) -> None:
    """Options may begin with a letter and a stop if these do not number them."""
    path = write(tmp_path, [record(options=["A. Einstein", "N. Bohr"], answer="B")])
    assert load_plain(path).questions[0].texts["A"] == "A. Einstein"


def test_missing_keys_are_listed(tmp_path: Path) -> None:
    """A record without its key and its video is told both."""
    short = {k: v for k, v in record().items() if k not in {"answer", "video"}}
    assert "missing 'video', 'answer'" in refusal(write(tmp_path, [short]))


def test_all_bad_records_are_reported_together(tmp_path: Path) -> None:
    """One run of the loader shows everything there is to fix."""
    path = write(
        tmp_path, [record(answer="Z"), record(id="ok"), "[1]", record(id="x", task="")]
    )
    message = refusal(path)
    assert message.startswith(f"{path}: 3 records cannot be used:")
    assert [f"{path}:{n}: " in message for n in (1, 2, 3, 4)] == [
        True,
        False,
        True,
        True,
    ]


def test_report_is_bounded(tmp_path: Path) -> None:
    """Thousands of bad records are counted, twenty are shown."""
    path = write(tmp_path, [record(id=f"q{i}", answer="Z") for i in range(50)])
    message = refusal(path)
    assert "50 records" in message
    assert message.endswith("and 30 more")
    assert len(message.splitlines()) == 22


def test_long_values_are_cut_in_messages(tmp_path: Path) -> None:
    """A record of a megabyte does not become a message of one."""
    path = write(tmp_path, [record(options="x" * 1_000_000)])
    assert len(refusal(path)) < 1000


@pytest.mark.parametrize(
    ("first", "second"),
    [("q1", "q1"), ("1", 1), (1, "1"), (1, 1), ("q1", "Q1"), ("q1", "q1 ")],
)
def test_repeated_ids_name_both_lines(
    tmp_path: Path, first: object, second: object
) -> None:
    """Ids are joined on: 1, "1" and " 1" must not be three questions, or one."""
    path = write(tmp_path, [record(id=first), record(id="other"), record(id=second)])
    message = refusal(path)
    repeats = [line for line in message.splitlines() if "line 1" in line]
    assert len(repeats) == 1
    assert repeats[0].strip().startswith(f"{path}:3: ")


def test_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """JSON would silently keep the second option A and lose the first."""
    line = json.dumps(record(options={"A": "red", "B": "green"}))
    doubled = line.replace('"B": "green"', '"A": "green"')
    assert "key 'A' stands twice" in refusal(write(tmp_path, [doubled]))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        ("{}".encode("utf-16"), "byte order mark"),
        (b'{"id": "q1"}\n' + b"\0" * 64, ":2: the file holds NUL bytes"),
        (b'{"id": "\xe9"}', "not UTF-8: byte 0xe9 in column 9"),
        (b'{"id": "q1", "vid', "ends in the middle of a record"),
        (b'{"id": "q1", "video":', "ends in the middle of a record"),
        (b'{"id": "q1"} {"id": "q2"}', "not JSON: Extra data"),
        (b"id,video\nq1,a.mp4", "not JSON"),
        (b'{"extra": NaN}', "NaN is no JSON value"),
        (b'{"extra": -Infinity}', "-Infinity is no JSON value"),
        (b'{"extra": 1e999}', "too large a number"),
        (b"[" * 100_000, "not JSON"),
        (b"1" * 10_000, "not JSON that can be read"),
        (b'["id"]', "a line must hold one object, got ['id']"),
    ],
)
def test_file_that_is_no_annotation_file_says_so(
    tmp_path: Path, content: bytes, said: str
) -> None:
    """Half copies, other encodings and other formats are told apart."""
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    assert said in refusal(path)


def test_missing_file_and_folder_are_told_apart(tmp_path: Path) -> None:
    """A wrong path is said in words, with what to give instead."""
    assert "No such file" in refusal(tmp_path / "none.jsonl")
    assert "questions.jsonl" in refusal(tmp_path)


@given(st.binary(max_size=200))
def test_any_bytes_load_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """No content of a file raises anything but our own error."""
    path = tmp_path_factory.mktemp("any") / "mine.jsonl"
    path.write_bytes(content)
    with pytest.raises(BenchmarkError):
        load_plain(path)


def test_real_questions_load_but_for_repeated_options(tmp_path: Path) -> None:
    """Of NExT-QA's 4,996 questions, 3 offer one text twice, and these are named."""
    with real("nextqa/val.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    records = [
        record(
            id=f"{row['video']}_{row['qid']}",
            video=f"{row['video']}.mp4",
            task=row["type"],
            question=row["question"],
            options=[row[f"a{i}"] for i in range(5)],
            answer="ABCDE"[int(row["answer"])],
        )
        for row in rows
    ]
    message = refusal(write(tmp_path, records))
    faulty = [int(m.split(":")[1]) for m in message.splitlines()[1:]]
    assert "3 records" in message
    kept = [r for line, r in enumerate(records, 1) if line not in faulty]
    assert len(load_plain(write(tmp_path, kept))) == 4_993
