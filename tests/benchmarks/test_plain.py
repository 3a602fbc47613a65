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
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
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
        ("{}".encode("utf-16"), "is UTF-16; save it as UTF-8"),
        (b'{"id": "q1"}\n' + b"\0" * 64, "line 2 holds NUL bytes"),
        (b'{"id": "\xe9"}', "line 1 is not UTF-8: byte 0xe9"),
        (b'{"id": "q1", "vid', ":1: not JSON: Unterminated string starting at in col"),
        (b'{"id": "q1", "video":', "column 22; it ends in the middle"),
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
    assert refusal(tmp_path / "none.jsonl").endswith("no such file or folder.")
    assert "questions.jsonl" in refusal(tmp_path)


def test_a_misspelt_file_is_answered_with_the_one_beside_it(tmp_path: Path) -> None:
    """What was probably meant is named, ready to be copied."""
    meant = write(tmp_path, [record()])
    wrong = meant.with_name(meant.name.replace("m", "n", 1))
    assert refusal(wrong).endswith(f"Did you mean {str(meant)!r}?")


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


FORMS = ("csv", "yaml", "jsonl")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "own-data.md"


def documented(folder: Path, form: str) -> Path:
    """Write the example that the page for users gives of *form*."""
    fence = "json" if form == "jsonl" else form
    blocks = PAGE.read_text(encoding="utf-8").split(f"```{fence}\n")[1:]
    path = folder / f"mine.{form}"
    path.write_text(blocks[-1].partition("```")[0], encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_documented_example_is_read_as_documented(tmp_path: Path, form: str) -> None:
    """What a team copies from the page loads, and is the same in every form."""
    made = load_plain(documented(tmp_path, form))
    first, second, third = made.questions
    assert dict(first.texts) == {"A": "1", "B": "2", "C": "3"}
    assert (first.answer, first.extra, first.excerpt) == (
        "B",
        {"camera": "north"},
        WHOLE,
    )
    assert second.excerpt == Excerpt(start_s=2, end_s=8.5)
    assert second.texts == {"A": "the car", "B": "the bus"}
    assert (third.texts["A"], third.answer, third.video) == ("no", "B", "clips/rain")
    assert made.root == tmp_path


def test_forms_of_one_file_are_one_benchmark(tmp_path: Path) -> None:
    """A table that became lines of JSON asks nothing new: digests are equal."""
    made = {load_plain(documented(tmp_path, form)).digest for form in FORMS}
    assert len(made) == 1


def table(folder: Path, text: str) -> Path:
    """Write a table whose first line is that of most examples here."""
    path = folder / "mine.csv"
    path.write_text(f"id,video,task,question,A,B,C,answer\n{text}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("q1,a.mp4,t,Q?,x,y,,C\n", ":2: question 'q1': answer 'C' is not one of"),
        ("q1,a.mp4,t,Q?,x,,z,A\n", ":2: B is empty, and options follow it"),
        ("q1,a.mp4,t,Q?,x,,,A\n", ":2: a question has 2 to 26 options, got 1"),
        ("q1,a.mp4,t,Q?,x,x,z,C\n", ":2: text 'x' is given to more than one option"),
        ("q1,a.mp4,t,Q?,x,y\n", ":2: has 6 cells, the first line has 8"),
        ('q1,a.mp4,t,"Q\n?",x,y,,A\nq1,a.mp4,t,Q?,x,y,,A\n', ":4: id 'q1' was already"),
        (",,,,,,,\n", ":2: "),
    ],
)
def test_fault_of_a_row_is_named_with_its_line(
    tmp_path: Path, rows: str, said: str
) -> None:
    """Lines are those of an editor, also after a cell of two lines."""
    path = table(tmp_path, rows)
    assert f"{path}{said}" in refusal(path)


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        ("id,video,task,question,A,B", ":1: .* missing answer"),
        ("id,video,task,question,answer", "missing A, B, "),
        ("id;video;task;question;A;B;answer", "Divide them by commas"),
        ("id,video,task,question,A,C,answer", "missing before the last one: B"),
        ("id,video,task,question,option_2,option_3,answer", "last one: option_1"),
        ("id,video,task,question,A,option_2,answer", "of columns: A and option_2"),
        ("id,video,task,question,A,B,options,answer", "more than one kind of columns"),
        ("id,video,task,question,A,B,answer,Start", "Did you mean 'start'"),
        ("id,video,task,question,A,B,answer,id", "more than one column is called 'id'"),
    ],
)
def test_wrong_columns_are_told_once(tmp_path: Path, heads: str, said: str) -> None:
    """A fault of the first line is one fault, not one a row."""
    path = tmp_path / "mine.csv"
    cells = ",".join("x" * len(heads.split(",")))
    path.write_text(f"{heads}\n{cells}\n{cells}\n")
    with pytest.raises(BenchmarkError, match=said) as caught:
        load_plain(path)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("heads", "cells"),
    [
        ("option_1,option_2,option_3", "red,green,"),
        ("option_B,option_A,option_C", "green,red,"),
        ("options", '"[""red"", ""green""]"'),
        ("options", '"{""A"": ""red"", ""B"": ""green""}"'),
        ("B,A", "green,red"),
    ],
)
def test_options_of_a_table_have_several_forms(
    tmp_path: Path, heads: str, cells: str
) -> None:
    """Numbered columns, one of JSON, or lettered ones of two spellings in any order."""
    path = tmp_path / "mine.csv"
    path.write_text(f"id,{heads},answer,task,video,question\nq,{cells},A,t,v.mp4,Q?\n")
    assert load_plain(path).questions[0].texts == {"A": "red", "B": "green"}


def test_byte_order_mark_and_space_of_a_spreadsheet_are_no_text(tmp_path: Path) -> None:
    """What Excel writes in front of a table changes no name of a column."""
    path = tmp_path / "mine.csv"
    path.write_bytes(
        b"\xef\xbb\xbfid, video,task,question,A,B,answer\r\nq1, a.mp4,t,Q?,x, y,y\r\n"
    )
    made = load_plain(path).questions[0]
    assert (made.id, made.video, made.answer) == ("q1", "a.mp4", "B")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: q1", "must hold a list of questions"),
        ("- q1\n", ":1: must be a question, got 'q1'"),
        ("- id: q1\n  id: q2\n", ":1: key 'id' stands twice (line 2)"),
        ("- id: *x\n", ":1: not allowed here: alias *x"),
        ("- id: !!python/name:os.system x\n", ":1: not allowed here: tag"),
        ("- id: [\n", "mine.yaml:2: "),
        ("- id: q1\n  video: a.mp4\n- {id: q1}\n", ":1: missing 'task'"),
        ("- [a, {b: c}]\n", ":1: must be a question"),
        ("- ? [a]\n  : b\n", ":1: line 1: a key must be a text"),
        ("[" * 30 + "]" * 30, ":1: not allowed here: nesting"),
    ],
)
def test_fault_of_a_yaml_file_is_named_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    """Nothing in a YAML file is run, expanded or silently replaced."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    assert said in refusal(path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"start": "2"}, "start must be a number of seconds, got '2'"),
        ({"start": True}, "start must be a number of seconds"),
        ({"end": None}, "end must be a number of seconds, got None"),
        ({"end": 10**400}, "end must be a number of seconds"),
        ({"start": 5, "end": 5}, "an excerpt ends after it starts"),
        ({"start": -1}, "starts at 0 or later"),
        ({"picture_rate": 0}, "a rate is above 0"),
        ({"picture_rate": "2"}, "picture_rate must be a number of pictures a second"),
    ],
)
def test_part_of_a_video_must_be_one(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    """Bounds are numbers of seconds that hold at least a moment."""
    assert said in refusal(write(tmp_path, [record(**changed)]))


@pytest.mark.parametrize("start", ["soon", "1:30", "-1", "1e3", "nan"])
def test_seconds_in_a_table_are_plain_numbers(tmp_path: Path, start: str) -> None:
    """Ninety seconds are written 90; what could be read in two ways is refused."""
    path = tmp_path / "mine.csv"
    path.write_text(
        f"id,video,task,question,A,B,answer,start\nq1,a.mp4,t,Q?,x,y,A,{start}\n"
    )
    assert f"start must be a number of seconds, got {start!r}" in refusal(path)


def test_bad_records_can_be_left_out(tmp_path: Path) -> None:
    """Under ``skip`` the good ones stay, and each bad one has line and reason."""
    path = write(
        tmp_path,
        [record(id="ok"), record(id="x", answer="Z"), "{", record(id="ok2")],
    )
    made = load_plain(path, on_bad_records="skip")
    assert [q.id for q in made.questions] == ["ok", "ok2"]
    assert [(p.file, p.record, p.dropped) for p in made.problems] == [
        ("mine.jsonl", "line 2", True),
        ("mine.jsonl", "line 3", True),
    ]


def test_videos_may_lie_elsewhere(tmp_path: Path) -> None:
    """The folder of the videos is their root, wherever the file is."""
    made = load_plain(write(tmp_path, [record()]), videos=tmp_path / "videos")
    assert made.root == tmp_path / "videos"


@pytest.mark.parametrize("form", ["csv", "yaml"])
@given(content=st.binary(max_size=200))
def test_any_bytes_of_other_forms_load_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, form: str, content: bytes
) -> None:
    """No content of a table or a list raises anything but our own error."""
    path = tmp_path_factory.mktemp("any") / f"mine.{form}"
    path.write_bytes(content)
    with pytest.raises(BenchmarkError):
        load_plain(path)


def test_a_table_divided_otherwise_says_so_once(tmp_path: Path) -> None:
    """Spreadsheets of half Europe write semicolons; no row is told of them."""
    path = tmp_path / "mine.csv"
    path.write_text("id;video;question\nq1;a.mp4;Who, and why?\n", encoding="utf-8")
    assert refusal(path).endswith("divided by ';'. Divide them by commas")
    path.write_text("id\tvideo\nq1\ta, b\n", encoding="utf-8")
    assert refusal(path).endswith("Divide them by commas, or name the file .tsv")


@pytest.mark.parametrize("head", ["option_0", "option_d ", "Option D", "option4", "a0"])
def test_an_option_is_not_kept_as_a_remark(tmp_path: Path, head: str) -> None:
    """``option_0`` to ``option_2`` are three options, not two of them and a remark."""
    path = tmp_path / "mine.csv"
    heads = f"id,video,task,question,{head},option_1,option_2,answer"
    path.write_text(f"{heads}\nq1,a.mp4,t,Which?,red,blue,green,B\n", "utf-8")
    said = refusal(path)
    assert f"column {head.strip()!r} would be kept and mean nothing" in said


def test_tabs_divide_a_tsv(tmp_path: Path) -> None:
    """It is a table like any other."""
    heads = ["id", "video", "task", "question", "A", "B", "answer"]
    cells = ["q1", "a.mp4", "t", "Which, then?", "red", "blue", "B"]
    path = tmp_path / "mine.tsv"
    path.write_text("\t".join(heads) + "\n" + "\t".join(cells) + "\n", "utf-8")
    assert load_plain(path).questions[0].texts == {"A": "red", "B": "blue"}


def test_one_list_of_json_is_told_once(tmp_path: Path) -> None:
    """What ``json.dump`` writes is no JSON Lines; as YAML it can be read."""
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([record(), record(id="q2")], indent=1), "utf-8")
    said = refusal(path)
    assert "is one JSON list; write an object a line" in said
    assert "mine.yaml" in said
    assert len(load_plain(path.rename(tmp_path / "mine.yaml"))) == 2


@pytest.mark.parametrize("kind", ["xlsx", "parquet"])
def test_a_workbook_is_to_be_saved_as_text(tmp_path: Path, kind: str) -> None:
    """It is not read as text, line by line."""
    path = tmp_path / f"mine.{kind}"
    path.write_bytes(b"PK")
    assert refusal(path).endswith("save the table as .csv")
