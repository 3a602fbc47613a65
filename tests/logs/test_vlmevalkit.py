"""VLMEvalKit's result tables. The rows are constructed, see ``made``."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.errors import NotComparable, StoreError
from pytest_vdg.logs.registry import read_log
from tests.logs.made import OPTIONS, joined, outcomes, vlm, write_json


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write *rows* as the table that the ending of *path* asks for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        return write_json(path, rows)
    if path.suffix == ".tsv":
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]), delimiter="\t")
            table.writeheader()
            table.writerows(rows)
        return path
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)
    return path


NAME = "Qwen2-VL-7B_Video-MME_8frame"


@pytest.mark.parametrize("ending", [".xlsx", ".tsv", ".json"])
def test_all_three_kinds_of_table_are_read(tmp_path: Path, ending: str) -> None:
    """Options are the text of a Python list; the name tells model and data set."""
    path = write(tmp_path / f"{NAME}{ending}", [vlm(), vlm(1, "A person; so B.")])
    log = read_log(path)
    assert (log.harness, log.model) == ("VLMEvalKit", "Qwen2-VL-7B")
    assert log.settings == {"dataset": "Video-MME_8frame"}
    first = log.answers[0]
    assert first.options == dict(zip("ABCD", (o[3:] for o in OPTIONS), strict=True))
    assert (first.id, first.answer, first.reply) == ("0", "C", "C")
    assert (first.video, first.task) == ("fFjv93ACGo8", "Counting Problem")


@pytest.mark.parametrize("ending", [".xlsx", ".tsv", ".json"])
@pytest.mark.parametrize("dataset", ["Video-MME", "MVBench"])
def test_an_empty_prediction_is_not_correct(
    tmp_path: Path, ending: str, dataset: str
) -> None:
    """VLMEvalKit counts it right on MVBench: '' stands in '(a)'. Here it does not."""
    row = vlm(prediction="", score=1)
    if dataset == "MVBench":
        row |= {"candidates": "['the cube', 'not sure']", "answer": "the cube"}
    rows = [row, row | {"index": 1, "prediction": "("}]
    path = write(tmp_path / f"m_{dataset}{ending}", rows)
    assert outcomes(joined(path)) == {"0": "unparsed", "1": "unparsed"}


@pytest.mark.parametrize(
    ("prediction", "score"),
    [("Based on the video, I cannot say.", 1), ("I cannot tell.", -1), ("A or C", 1)],
)
def test_scores_are_never_read(tmp_path: Path, prediction: str, score: int) -> None:
    """A judge that failed is -1 and counts as right there; so does 'Based'."""
    row = vlm(prediction=prediction, score=score)
    path = write(tmp_path / f"{NAME}_score.tsv", [row])
    assert outcomes(joined(path)) == {"0": "unparsed"}


@pytest.mark.parametrize("ending", [".xlsx", ".tsv", ".json"])
def test_words_that_pandas_takes_for_nothing_stay_words(
    tmp_path: Path, ending: str
) -> None:
    """``None`` and ``NA`` are options and answers of real benchmarks."""
    row = vlm(candidates="['None', 'NA', 'null']", answer="None")
    rows = [
        row | {"index": i, "prediction": word}
        for i, word in enumerate(("None", "NA", "null"))
    ]
    result = joined(write(tmp_path / f"m_MVBench{ending}", rows))
    assert [result.run.cells[q, "original"].choice for q in "012"] == ["A", "B", "C"]
    assert outcomes(result) == {"0": "correct", "1": "wrong", "2": "wrong"}


def test_an_interface_that_failed_is_no_answer(tmp_path: Path) -> None:
    """What VLMEvalKit writes for a reply that never came is a failed cell."""
    told = "Failed to obtain answer via API. "
    cell = joined(write(tmp_path / f"{NAME}.tsv", [vlm(prediction=told)])).run.cells[
        "0", "original"
    ]
    assert (str(cell.outcome), cell.reply, cell.reason) == ("failed", None, told)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"candidates": "['red', 'blue']", "answer": "blue"}, "B"),
        ({"candidates": "['A. red', 'B. blue']", "answer": "B. blue"}, "B"),
        ({"candidates": "['0', '1', '2']", "answer": "1"}, "B"),
        ({"candidates": '["red", "blue"]', "answer": "B"}, "B"),
    ],
)
def test_keys_are_letters_texts_or_lines(
    tmp_path: Path, changes: dict[str, str], key: str
) -> None:
    """MVBench and MLVU give the text, TempCompass the line, Video-MME the letter."""
    path = write(tmp_path / f"{NAME}.tsv", [vlm(**changes)])
    assert joined(path).run.questions[0].answer == key


def test_longvideobench_counts_from_zero(tmp_path: Path) -> None:
    """``correct_choice`` is a place, even where an option is that number."""
    row = vlm(candidates="['2', '1', '0']", correct_choice=2)
    del row["answer"]
    path = write(tmp_path / "m_LongVideoBench_8frame.tsv", [row])
    assert joined(path).run.questions[0].answer == "C"


def test_an_answer_outside_the_options_is_refused(tmp_path: Path) -> None:
    """VLMEvalKit makes it ``(@)``, which nobody can choose."""
    path = write(tmp_path / f"{NAME}.tsv", [vlm(answer="a lamp")])
    with pytest.raises(NotComparable, match=r"line 2: key 'a lamp' is none of"):
        joined(path)


def test_an_index_that_moved_is_refused(tmp_path: Path) -> None:
    """question_id is dropped there: equal numbers with other questions are no pair."""
    first = write(tmp_path / "a" / f"{NAME}.tsv", [vlm(), vlm(1, question="Where?")])
    second = write(tmp_path / "b" / f"{NAME}.tsv", [vlm(question="Where?"), vlm(1)])
    with pytest.raises(NotComparable, match="the text of question '0'"):
        joined(first, second)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    """The fallback of VLMEvalKit runs what it holds: the message says what to do."""
    path = tmp_path / f"{NAME}.pkl"
    path.write_bytes(b"\x80\x04.")
    with pytest.raises(StoreError, match="PRED_FORMAT=tsv"):
        read_log(path)
