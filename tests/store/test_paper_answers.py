"""Per-question answer files as they come: joined by id, nothing settled in silence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import CouldNotBeJudged, NotComparable, StoreError
from pytest_vdg.outcomes import pair, pair_runs
from pytest_vdg.runs import Caps, Outcome
from pytest_vdg.store.paper_answers import PaperAnswers, read_paper_answers
from pytest_vdg.store.runfile import load_run, save_run
from tests.realdata import real

OOM = "CUDA out of memory. Tried to allocate 12.10 GiB"


def row(question_id: object = "007-3", **changes: object) -> dict[str, Any]:
    """Return a right answer to a question whose key is A, with *changes*."""
    values: dict[str, Any] = {
        "question_id": question_id,
        "videoID": "0ay2Qy3wBe8",
        "task_type": "OCR Problems",
        "condition": "original",
        "ground_truth": "A",
        "prediction": "A",
    }
    values |= changes
    right = values["prediction"] == values["ground_truth"]
    return {"correct": right and not values.get("error"), **values}


def write(path: Path, rows: object) -> Path:
    """Write *rows* as the paper's scripts do and return *path*."""
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return path


def read(*paths: Path, **changes: Any) -> PaperAnswers:  # noqa: ANN401
    """Read *paths* as answers of one checkpoint with four options."""
    known: dict[str, Any] = {
        "checkpoint": "qwen2vl",
        "slice_name": "videomme-600",
        "labels": "ABCD",
    }
    return read_paper_answers(paths, **(known | changes))


def refused(match: str, *paths: Path, **changes: Any) -> str:  # noqa: ANN401
    """Assert that *paths* are refused for *match*, naming the last of them."""
    with pytest.raises(StoreError, match=match) as caught:
        read(*paths, **changes)
    assert str(paths[-1]) in str(caught.value)
    return str(caught.value)


def test_several_files_make_one_run(tmp_path: Path) -> None:
    """One file holds several conditions, the next one another; both are one run."""
    first = write(
        tmp_path / "qwen2vl_results.json",
        [row(), row(condition="crf38", prediction="B")],
    )
    second = write(
        tmp_path / "qwen2vl_black_results.json",
        [row(condition="black", prediction="C")],
    )
    found = read(first, second)
    run = found.run
    assert run.conditions == ("original", "compressed:38", "black")
    assert [run.cells["007-3", c].outcome for c in run.conditions] == [
        Outcome.CORRECT,
        Outcome.WRONG,
        Outcome.WRONG,
    ]
    (question,) = run.questions
    assert (question.video, question.task) == ("0ay2Qy3wBe8", "OCR Problems")
    assert run.chance() == 0.25
    assert run.fingerprint.informative == {
        "files": "qwen2vl_results.json, qwen2vl_black_results.json"
    }
    assert found.notes == ()


@given(st.integers(min_value=0, max_value=10_000))
def test_position_means_nothing(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """However the rows of both arms are ordered, the same pairs are made."""
    folder = tmp_path_factory.mktemp("answers")
    right = [row(f"q{i}", condition="original") for i in range(6)]
    black = [row(f"q{i}", condition="black", prediction="AB"[i % 2]) for i in range(6)]
    random.Random(seed).shuffle(right)
    random.Random(seed + 1).shuffle(black)
    found = read(
        write(folder / "original.json", right), write(folder / "black.json", black)
    )
    paired = pair(found.run, control="black")
    assert sorted(paired.question_ids) == [f"q{i}" for i in range(6)]
    gained = {
        q for q, d in zip(paired.question_ids, paired.differences, strict=True) if d
    }
    assert gained == {"q1", "q3", "q5"}


def test_the_valid_row_of_a_retry_wins(tmp_path: Path) -> None:
    """A row that failed and its retry are one cell, answered, and told."""
    failed = row(prediction=None, error="'video_fps'")
    for i, rows in enumerate(([failed, row()], [row(), failed])):
        path = write(tmp_path / f"{i}.json", rows)
        found = read(path)
        assert found.run.cells["007-3", "original"].outcome is Outcome.CORRECT
        (repeated,) = found.repeated
        assert len(repeated.rows) == 2
        assert repeated.kept == f"{path}: row {2 - i}"
        (note,) = found.notes
        assert note == (
            "cells with several rows: 1. An answer counts before a failure "
            f"(first: 007-3, original: {path}: row {2 - i})"
        )


def test_a_reply_that_chose_nothing_counts_before_a_failure(tmp_path: Path) -> None:
    """It is what the model said, whichever of the two rows comes first."""
    rows = [row(prediction="I cannot tell", correct=False), row(error=OOM)]
    for i, tried in enumerate((rows, rows[::-1])):
        cell = read(write(tmp_path / f"{i}.json", tried)).run.cells["007-3", "original"]
        assert (cell.outcome, cell.reply) == (Outcome.UNPARSED, "I cannot tell")


def test_of_several_failures_the_last_is_kept(tmp_path: Path) -> None:
    """A retry that failed again has the reason that matters."""
    path = write(
        tmp_path / "a.json",
        [
            row(prediction=None, error="'video_fps'"),
            row(prediction=None, error=OOM),
        ],
    )
    cell = read(path).run.cells["007-3", "original"]
    assert (cell.outcome, cell.reason) == (Outcome.FAILED, OOM)


def test_two_answers_are_not_chosen_between(tmp_path: Path) -> None:
    """A cell with two different answers is refused; the same twice is not."""
    twice = write(tmp_path / "twice.json", [row(), row()])
    assert len(read(twice).repeated) == 1
    path = write(tmp_path / "two.json", [row(), row(prediction="B")])
    text = refused("several answers under 'original'", path)
    assert "'A' in" in text
    assert "row 2" in text


def test_settings_in_one_file_are_told_apart(tmp_path: Path) -> None:
    """A file with several frame rates is read one rate at a time."""
    path = write(tmp_path / "fps.json", [row(fps=0.5), row(fps=1.0, prediction="B")])
    assert "where={'fps': 1.0}" in refused("several answers", path)
    outcomes = [
        read(path, where={"fps": fps}).run.cells["007-3", "original"].outcome
        for fps in (0.5, 1.0)
    ]
    assert outcomes == [Outcome.CORRECT, Outcome.WRONG]
    refused("no row in .* has {'fps': 2.0}", path, where={"fps": 2.0})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"prediction": None, "error": OOM}, OOM),
        ({"prediction": None}, "no prediction in the file"),
        ({"prediction": " "}, "no prediction in the file"),
        # What stands beside an error is what the buffer held before.
        ({"prediction": "A", "error": OOM}, OOM),
    ],
)
def test_no_answer_is_failed_never_wrong(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    """Out of memory, or nothing at all, leaves the pair instead of costing it."""
    path = write(
        tmp_path / "a.json",
        [
            row(**changes),
            row("q2"),
            row(condition="black"),
            row("q2", condition="black"),
        ],
    )
    run = read(path).run
    cell = run.cells["007-3", "original"]
    assert (cell.outcome, cell.reason, cell.choice) == (Outcome.FAILED, reason, None)
    assert pair(run, control="black").question_ids == ("q2",)


def test_a_prediction_that_is_no_label_is_unparsed(tmp_path: Path) -> None:
    """Text is not mined for a letter: it counts as not correct, and is kept."""
    for reply in ("I cannot tell", "E", "a"):
        path = write(tmp_path / "a.json", [row(prediction=reply, correct=False)])
        cell = read(path).run.cells["007-3", "original"]
        assert (cell.outcome, cell.reply) == (Outcome.UNPARSED, reply)


def test_a_cell_without_a_row_is_failed_and_told(tmp_path: Path) -> None:
    """An arm that stopped early has failed cells, and the caps then refuse it."""
    original = write(tmp_path / "a.json", [row("q1"), row("q2")])
    black = write(tmp_path / "b.json", [row("q1", condition="black")])
    found = read(original, black)
    assert found.absent == (("q2", "black"),)
    assert found.notes == (
        "cells without a row: 1. They count as failed (first: q2, black)",
    )
    cell = found.run.cells["q2", "black"]
    assert (cell.outcome, cell.reason) == (Outcome.FAILED, "no row in the files")
    assert found.run.caps == Caps()
    assert read(original, caps=Caps(failed=1)).run.caps == Caps(failed=1)


def test_disjoint_arms_make_no_pair(tmp_path: Path) -> None:
    """Arms over different questions have nothing in common, and say so."""
    original = write(tmp_path / "a.json", [row("q1")])
    black = write(tmp_path / "b.json", [row("q2", condition="black")])
    with pytest.raises(CouldNotBeJudged, match="no question"):
        pair(read(original, black).run, control="black")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ground_truth", "B"),
        ("task_type", "Counting"),
        ("videoID", "another"),
        ("options", ["red", "blue", "grey", "green"]),
    ],
)
def test_arms_about_different_questions_are_refused(
    tmp_path: Path, field: str, value: object
) -> None:
    """A key, options, task or video that differ between arms are no pair."""
    options = ["red", "blue", "green", "grey"]
    original = write(tmp_path / "a.json", [row(options=options)])
    other = row(condition="black", options=options, prediction="C")
    black = write(tmp_path / "b.json", [other | {field: value, "correct": False}])
    text = refused(f"{field} of question '007-3'", original, black)
    assert str(original) in text


def test_runs_with_other_keys_are_not_compared(tmp_path: Path) -> None:
    """Two models' files that disagree on the key are refused where they meet."""
    runs = []
    for i, key in enumerate("AB"):
        rows = [row(condition=c, ground_truth=key) for c in ("original", "black")]
        runs.append(read(write(tmp_path / f"{i}.json", rows)).run)
    with pytest.raises(NotComparable, match="changed its text, options or key"):
        pair_runs(*runs, control="black")


def test_labels_follow_the_options(tmp_path: Path) -> None:
    """Rows that list their options need no labels; others do, for chance."""
    listed = row(options=["red", "blue", "green"], prediction="C")
    mapped = row("q2", options={"yes": "it is", "no": "it is not"})
    mapped |= {"ground_truth": "no", "prediction": "no", "correct": True}
    path = write(tmp_path / "a.json", [listed, mapped])
    first, second = read(path, labels=()).run.questions
    assert (first.labels, second.labels) == (("A", "B", "C"), ("yes", "no"))
    bare = write(tmp_path / "b.json", [row()])
    refused("say which labels there were", bare, labels=())
    refused("options must be", write(tmp_path / "c.json", [row(options="A, B")]))


def test_an_arm_may_leave_the_options_out(tmp_path: Path) -> None:
    """Where one arm lists two options, chance is a half whatever the others lack."""
    bare = write(tmp_path / "a.json", [row(condition="black")])
    listed = write(tmp_path / "b.json", [row(options=["yes", "no"])])
    for order in ((bare, listed), (listed, bare)):
        run = read(*order).run
        assert run.questions[0].labels == ("A", "B")
        assert run.chance() == 0.5


def test_the_first_name_of_a_video_counts(tmp_path: Path) -> None:
    """Arms may name the video differently as long as they do not contradict."""
    original = write(tmp_path / "a.json", [row(video_id="007")])
    (question,) = read(
        original, write(tmp_path / "b.json", [row(condition="black")])
    ).run.questions
    assert question.video == "0ay2Qy3wBe8"
    ego = row(video_uid="0074f737")
    del ego["videoID"]
    (question,) = read(write(tmp_path / "c.json", [ego])).run.questions
    assert question.video == "0074f737"
    del ego["video_uid"]
    refused("row 1: no video", write(tmp_path / "d.json", [ego]))


def test_numbers_are_ids(tmp_path: Path) -> None:
    """One script writes 1 where the next writes "1"; both are the question 1."""
    original = write(tmp_path / "a.json", [row(1)])
    black = write(tmp_path / "b.json", [row("1", condition="black")])
    assert [q.id for q in read(original, black).run.questions] == ["1"]


@pytest.mark.parametrize("variant", ["007-A ", "007-a", "\uff10\uff10\uff17-A"])
def test_one_question_is_spelt_one_way(tmp_path: Path, variant: str) -> None:
    """Ids that differ by case, a space or Unicode form are not two questions."""
    original = write(tmp_path / "a.json", [row("007-A")])
    black = write(tmp_path / "b.json", [row(variant, condition="black")])
    refused("but for case, space or Unicode form", original, black)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"question_id": None}, "row 2: question_id must be text, got None"),
        ({"question_id": True}, "row 2: question_id must be text, got True"),
        ({"condition": ""}, "row 2: condition must be text, got ''"),
        ({"task_type": None}, "row 2: task_type must be text, got None"),
        ({"ground_truth": "E"}, "row 2: ground_truth 'E' is none of A, B, C, D"),
        ({"prediction": 0}, "row 2: prediction must be text or null, got 0"),
        ({"prediction": "B", "correct": True}, "correct is True, but the prediction"),
        ({"prediction": None, "correct": True}, "correct is True, but the prediction"),
        ({"correct": False}, "correct is False, but the prediction is 'A'"),
    ],
)
def test_a_row_that_cannot_be_true_is_refused(
    tmp_path: Path, changes: dict[str, object], match: str
) -> None:
    """A row without a name or key, or that contradicts itself, is named."""
    refused(match, write(tmp_path / "a.json", [row("q1"), row(**changes)]))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"\0" * 78268, "all of its 78268 bytes are NUL"),
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b'[{"question_id": "q\0\0"}]', "NUL bytes from byte 19 on"),
        (b'[{"question_id": "q1", "cond', "not JSON .* only half of it"),
        (b"Model,Black (%)\n", "not JSON"),
        (b'[{"question_id": NaN}]', "NaN is not a number"),
        (b'[{"condition": "a", "condition": "b"}]', "repeated keys"),
        (b'{"q1": {}}', "expected a JSON array of objects.* got an object"),
        (b'[{}, "q1"]', "got an array with 'q1' in it"),
        (b"3", "got 3"),
        (b"[]", "holds no answer at all"),
        (b"\xff\xfe[\x00]", "not UTF-16"),
    ],
)
def test_a_file_that_is_none_is_refused_by_name(
    tmp_path: Path, data: bytes, match: str
) -> None:
    """What a crash, a broken copy or another tool left is no answer file."""
    path = tmp_path / "llava_singleframe_results.json"
    path.write_bytes(data)
    refused(match, path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A wrong path is an error with that path."""
    refused("cannot be read", tmp_path / "absent.json")


def test_text_in_no_known_encoding_is_read_where_only_people_read_it(
    tmp_path: Path,
) -> None:
    """A Windows dash in a message is shown as its byte; a run file can hold it."""
    text = json.dumps([row(prediction=None, error="C:\\x @ frame 3"), row("q2")])
    path = tmp_path / "a.json"
    path.write_bytes(text.encode().replace(b"@", b"\x96"))
    run = read(path).run
    assert run.cells["007-3", "original"].reason == "C:\\x \\x96 frame 3"
    save_run(run, tmp_path / "run.jsonl")
    assert load_run(tmp_path / "run.jsonl").questions[0].id == "007-3"


@pytest.mark.parametrize("field", ["question_id", "task_type", "videoID", "condition"])
def test_a_name_in_no_known_encoding_is_refused(tmp_path: Path, field: str) -> None:
    """An id in one code page does not join with itself in another."""
    text = json.dumps([row(**{field: "id-@"})])
    path = tmp_path / "a.json"
    path.write_bytes(text.encode().replace(b"@", b"\xe9"))
    refused(r"is not UTF-8 text.*Save the file as UTF-8", path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(tmp_path: Path, encoding: str) -> None:
    """Windows tools put marks, and two bytes a letter, into text files."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([row("café")], ensure_ascii=False), encoding=encoding)
    assert [q.id for q in read(path).run.questions] == ["café"]


def test_the_levels_of_the_paper_have_our_names(tmp_path: Path) -> None:
    """The VDG paper compressed at five levels; other names stay as they are."""
    levels = (18, 23, 28, 33, 38)
    rows = [row(condition=f"crf{n}") for n in levels] + [row(condition="crf99")]
    found = read(write(tmp_path / "a.json", rows)).run.conditions
    assert found == (*(f"compressed:{n}" for n in levels), "crf99")


def test_conditions_are_chosen_by_our_names(tmp_path: Path) -> None:
    """Only what was asked for is kept, in that order; a wrong name is no silence."""
    conditions = ("original", "black", "singleframe")
    path = write(tmp_path / "a.json", [row(condition=c) for c in conditions])
    wanted = ("single_frame", "black")
    assert read(path, conditions=wanted).run.conditions == wanted
    with pytest.raises(StoreError, match="Did you mean 'single_frame'"):
        read(path, conditions=("single_frames",))
    assert read(path, names={}).run.conditions == conditions


def test_no_file_is_no_run() -> None:
    """A pattern that matched nothing must not make a run of nothing."""
    with pytest.raises(StoreError, match="no file"):
        read()


# The published files, where they are: github.com/JaeLee18/
# accuracy-without-grounding, commit aa927ef (MIT).


def published(*names: str, labels: Iterable[str] = "ABCD") -> PaperAnswers:
    """Read published files, or skip."""
    return read(*(real(f"vdg_annotations/{n}") for n in names), labels=tuple(labels))


def test_the_published_retries_are_settled() -> None:
    """EgoSchema of Qwen2-VL: 15 questions failed on 'video_fps' and were retried."""
    found = published("egoschema/qwen2vl_egoschema_results.json", labels="ABCDE")
    assert len(found.repeated) == 15
    assert all(r.condition == "original" for r in found.repeated)
    for condition in ("original", "black"):
        counts = found.run.counts(condition)
        assert (counts.judged, counts.failed) == (500, 0)


def test_the_published_failures_are_failed() -> None:
    """Qwen2-VL: 53 questions without an answer on the original, 183 shuffled."""
    found = published(
        "full_study/qwen2vl_results.json",
        "full_study/qwen2vl_black_results.json",
        "full_study/qwen2vl_shuffled_results.json",
    )
    failed = {c: found.run.counts(c).failed for c in found.run.conditions}
    assert (failed["original"], failed["black"], failed["shuffled"]) == (53, 0, 183)
    reasons = {
        cell.reason or "" for cell in found.run.cells.values() if cell.choice is None
    }
    assert any(reason.startswith("CUDA out of memory") for reason in reasons)


def test_the_published_file_of_nul_bytes_is_refused() -> None:
    """LLaVA's single-frame file is 78,268 NUL bytes."""
    path = real("vdg_annotations/full_study/llava_singleframe_results.json")
    refused("all of its 78268 bytes are NUL", path)


def test_the_published_frame_rates_are_read_one_at_a_time() -> None:
    """The ablation's file mixes three frame rates, and failures of all kinds."""
    path = real("vdg_annotations/experiments/fps_ablation_results.json")
    refused("several answers", path)
    found = read(path, where={"fps": 1.0})
    assert found.run.conditions == ("original", "black")
    assert len(found.repeated) == 3
