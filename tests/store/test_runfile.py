"""Runs as text: reviewable, atomic, and strict about what is read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import StoreError
from pytest_vdg.outcomes import pair_runs
from pytest_vdg.runs import Outcome, Run
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.runfile import load_run, save_recorded, save_run
from tests.store.examples import cell, question, run

FIRST_QUESTION = 7
"""Index of the first question's line: the header has seven."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a run may be written, in a folder that is not there yet."""
    return tmp_path / "baselines" / "sight.jsonl"


def lines_of(path: Path) -> list[Any]:
    """Return the JSON values of the file's lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def edit(path: Path, line: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Apply *change* to the object on *line*, counted from 0."""
    objects = lines_of(path)
    change(objects[line])
    path.write_text("".join(json.dumps(o) + "\n" for o in objects))


def refused(path: Path, match: str | None = None) -> str:
    """Assert that *path* is refused for *match*, naming it; return the text."""
    with pytest.raises(StoreError, match=match) as caught:
        load_run(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_full_file_gives_the_run_back(path: Path) -> None:
    """All that a run knows survives, its questions sorted by id."""
    save_run(run(), path, full=True)
    loaded = load_run(path)
    assert [q.id for q in loaded.questions] == ["q1", "q2"]
    assert loaded == run(question("q1"), question("q2"))
    assert loaded.created == run().created


def test_a_baseline_keeps_what_a_comparison_needs(path: Path) -> None:
    """Outcomes, choices and the fingerprint come back; the rest is dropped."""
    save_run(run(), path)
    loaded = load_run(path)
    assert loaded.fingerprint == run().fingerprint
    assert loaded.counts("original") == run().counts("original")
    assert loaded.cells["q1", "black"].choice == "B"
    assert loaded.cells["q1", "black"].probabilities is None


def test_orders_of_a_question_are_read_back(path: Path) -> None:
    """What each is an order of survives; where it is none, the line says nothing."""
    asked = run(
        question("q1@0", of="q1", video="q1.mp4"),
        question("q1@1", of="q1", video="q1.mp4"),
        question("q2"),
    )
    save_run(asked, path)
    assert [q.of for q in load_run(path).questions] == ["q1", "q1", ""]
    rows = lines_of(path)[FIRST_QUESTION:]
    assert [row.get("of") for row in rows] == ["q1", "q1", None]


@pytest.mark.parametrize("of", ["", None, 3, ["q1"]])
def test_an_order_of_nothing_is_refused(path: Path, of: object) -> None:
    """It names a question or is left out."""
    save_run(run(question("q1@0", of="q1", video="q1.mp4"), question("q2")), path)
    edit(path, FIRST_QUESTION, lambda o: o.update(of=of))
    refused(path, "of must")


def test_orders_on_several_videos_are_refused(path: Path) -> None:
    """Orders of one question show the same clip."""
    save_run(
        run(
            question("q1@0", of="q1", video="q1.mp4"),
            question("q1@1", of="q1", video="q1.mp4"),
        ),
        path,
    )
    edit(path, FIRST_QUESTION, lambda o: o.update(video="other"))
    refused(path, "orders of one question on several videos")


def test_a_baseline_pairs_with_a_run(path: Path) -> None:
    """A run and its own baseline differ nowhere, whatever the order."""
    save_run(run(), path)
    paired = pair_runs(run(), load_run(path), control="black")
    assert paired.changes.tolist() == [0, 0]


def test_lines_are_sorted_and_one_a_question(path: Path) -> None:
    """One more question is one more line, wherever it ran."""
    save_run(run(question("q10"), question("q2"), question("q1")), path)
    ids = [o["id"] for o in lines_of(path)[FIRST_QUESTION:]]
    assert ids == ["q1", "q10", "q2"]


def test_one_changed_answer_changes_its_line_and_the_counts(path: Path) -> None:
    """A reviewer sees the flipped question and the two sums, nothing else."""
    save_run(run(), path)
    before = path.read_text().splitlines()
    flipped = run(cells=[cell("q1", "black", Outcome.CORRECT)])
    save_run(flipped, path)
    after = path.read_text().splitlines()
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == [5, 6, FIRST_QUESTION]


def test_a_line_of_a_baseline_is_short(path: Path) -> None:
    """A cell is its label: 600 questions stay small enough to commit."""
    save_run(run(), path)
    assert lines_of(path)[FIRST_QUESTION]["cells"] == {"original": "A", "black": "B"}


def test_the_header_holds_the_raw_table_of_vdg(path: Path) -> None:
    """Whoever distrusts the estimate can redo it from the counts."""
    save_run(run(), path, reason="new clips")
    lines = lines_of(path)
    assert lines[0]["reason"] == "new clips"
    # Two questions, both right with the video and wrong without: 2/2 - 0/2.
    assert lines[6]["vdg"] == {
        "estimate": 1.0,
        "n": 2,
        "both": 0,
        "original_only": 2,
        "black_only": 0,
        "neither": 0,
    }


def test_the_estimate_is_that_of_its_table(path: Path) -> None:
    """Answers right without the video alone count against it; four places are kept."""
    right, wrong = Outcome.CORRECT, Outcome.WRONG
    told = [(right, wrong)] * 3 + [(wrong, right)] + [(right, right)] * 2
    told.append((wrong, wrong))
    names = [f"q{i}" for i in range(7)]
    cells = [
        cell(name, condition, outcome)
        for name, pair in zip(names, told, strict=True)
        for condition, outcome in zip(("original", "black"), pair, strict=True)
    ]
    save_run(run(*map(question, names), cells=cells), path)
    lines = lines_of(path)
    # (3 - 1) / 7 = 0.285714..., and right are 5 of 7 and 3 of 7.
    assert lines[6]["vdg"] == {
        "estimate": 0.2857,
        "n": 7,
        "both": 2,
        "original_only": 3,
        "black_only": 1,
        "neither": 1,
    }
    accuracies = {c: n["accuracy"] for c, n in lines[5]["counts"].items()}
    assert accuracies == {"original": 0.7143, "black": 0.4286}


def test_undefined_numbers_are_null(path: Path) -> None:
    """Where nothing was judged there is null, never NaN and never zero."""
    lost = [
        cell(q, c, Outcome.FAILED, reason="out of memory")
        for q in ("q1", "q2")
        for c in ("original", "black")
    ]
    save_run(run(cells=lost), path)
    lines = lines_of(path)
    assert lines[5]["counts"]["black"]["accuracy"] is None
    assert lines[6]["vdg"] is None
    assert load_run(path).counts("black").failed == 2


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.NOT_APPLICABLE])
def test_a_missing_answer_keeps_its_reason(path: Path, outcome: Outcome) -> None:
    """Failed stays failed, with the reason why, and never becomes wrong."""
    save_run(run(cells=[cell("q1", "black", outcome, reason="why")]), path)
    loaded = load_run(path).cells["q1", "black"]
    assert (loaded.outcome, loaded.reason) == (outcome, "why")


def test_an_unparsed_reply_is_kept_in_bounds(path: Path) -> None:
    """A baseline shows what an unreadable reply was, not all of it."""
    save_run(run(cells=[cell("q1", "black", Outcome.UNPARSED, reply="x" * 9999)]), path)
    loaded = load_run(path).cells["q1", "black"]
    assert loaded.outcome is Outcome.UNPARSED
    assert loaded.reply == "x" * 200


def test_text_of_all_scripts_is_readable_and_exact(path: Path) -> None:
    """Ids in any script stay legible; line separators and half characters survive."""
    name = "問題\u2028\x85\ud800"
    save_run(run(question(name)), path)
    assert load_run(path).questions[0].id == name
    assert "問題" in path.read_text("utf-8")


def test_a_checkout_with_windows_line_ends_is_read(path: Path) -> None:
    """Git may turn line ends; that is no damage."""
    save_run(run(), path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(load_run(path).questions) == 2


def test_a_run_with_nan_is_not_written(path: Path) -> None:
    """NaN is refused and what was there before stays."""
    save_run(run(), path)
    before = path.read_bytes()
    bad = run(cells=[cell("q1", label_mass=float("nan"))])
    with pytest.raises(StoreError, match="cannot be written"):
        save_run(bad, path, full=True)
    assert path.read_bytes() == before


def test_a_choice_that_contradicts_its_outcome_is_not_written(path: Path) -> None:
    """Correctness is decided once; a file cannot hold two opinions."""
    with pytest.raises(StoreError, match="called correct"):
        save_run(run(cells=[cell("q1", choice="B")]), path)


def test_a_write_that_fails_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs the new file, not the old one, and leaves no scraps."""
    save_run(run(), path)
    before = path.read_bytes()

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(StoreError, match="No space left"):
        save_run(run(question("q9")), path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_broken_file_is_kept_when_a_new_one_is_written(path: Path) -> None:
    """Writing over something that is no run loses nothing."""
    path.parent.mkdir()
    path.write_text("my notes")
    save_run(run(), path)
    assert path.with_name("sight.jsonl.bak").read_text() == "my notes"
    assert len(load_run(path).questions) == 2


def test_what_was_kept_before_is_kept_too(path: Path) -> None:
    """The second broken file does not cost the first, nor does the third."""
    path.parent.mkdir()
    broken = {".bak": "my notes", ".bak2": "half a", ".bak3": "a conflict"}
    for number, text in enumerate(broken.values()):
        path.write_text(text)
        moved = save_recorded(Recorded(run=run()), path)
        assert moved is not None
        assert moved.suffix == [*broken][number]
    for suffix, text in broken.items():
        assert path.with_name(path.name + suffix).read_text() == text
    assert save_recorded(Recorded(run=run()), path) is None


def test_a_sound_file_is_replaced_without_a_copy(path: Path) -> None:
    """Git keeps old baselines; the folder does not fill with copies."""
    save_run(run(), path)
    save_run(run(), path)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_missing_file_is_named(path: Path) -> None:
    """The path that was looked at is in the error."""
    refused(path, "cannot be read")


@given(cut=st.integers(min_value=0, max_value=1500))
def test_every_cut_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    """Half a file is refused wherever it was cut."""
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    save_run(run(), path)
    data = path.read_bytes()
    path.write_bytes(data[: min(cut, len(data) - 1)])
    refused(path)


def test_nul_bytes_are_refused_with_their_line(path: Path) -> None:
    """A file that a crash filled with NUL is told apart from a wrong edit."""
    save_run(run(), path)
    lines = path.read_bytes().split(b"\n")
    lines[FIRST_QUESTION] = b"\0" * 80
    path.write_bytes(b"\n".join(lines))
    assert f"{path}:{FIRST_QUESTION + 1}" in refused(path, "NUL bytes")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_know_are_refused(path: Path, text: str) -> None:
    """A NaN that some other program wrote passes no gate."""
    save_run(run(), path)
    path.write_text(path.read_text().replace('"accuracy":1.0', f'"accuracy":{text}'))
    refused(path, text)


def test_an_id_twice_is_refused_with_both_lines(path: Path) -> None:
    """A merge that doubled a question is named by its two lines."""
    save_run(run(), path)
    edit(path, FIRST_QUESTION + 1, lambda o: o.update(id="q1"))
    text = refused(path, "'q1' is on line 8")
    assert f"{path}:9" in text


def test_a_key_twice_in_a_line_is_refused(path: Path) -> None:
    """The second of two cells for one condition does not win silently."""
    save_run(run(), path)
    doubled = path.read_text().replace('"black":"B"', '"black":"B","black":"A"')
    path.write_text(doubled)
    refused(path, "repeated keys")


def test_another_version_is_refused(path: Path) -> None:
    """A file of a later version is not half understood."""
    save_run(run(), path)
    edit(path, 0, lambda o: o.update(version=99))
    refused(path, "version 99")


def test_a_file_of_something_else_is_refused(path: Path) -> None:
    """Any other JSON lines file is told to be no run."""
    path.parent.mkdir()
    path.write_text('{"id": "q1"}\n')
    refused(path, "not a run file")


def test_bytes_that_are_no_text_are_refused_with_their_line(path: Path) -> None:
    """A file in another encoding is named by the line that shows it."""
    save_run(run(), path)
    path.write_bytes(path.read_bytes().replace(b"q2.mp4", b"\xff\xfe.mp4"))
    assert f"{path}:9" in refused(path, "not UTF-8")


def test_a_line_that_is_no_object_is_refused(path: Path) -> None:
    """A bare value among the lines is named, not skipped."""
    save_run(run(), path)
    path.write_text(path.read_text() + "[]\n")
    refused(path, "expected a JSON object")


def test_what_cannot_be_moved_aside_is_not_written_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the old file cannot be kept, nothing is written at all."""
    path.parent.mkdir()
    path.write_text("my notes")

    def refuse(self: Path, target: Path) -> Path:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreError, match="moved aside"):
        save_run(run(), path)
    assert path.read_text() == "my notes"


def test_an_unresolved_merge_is_named(path: Path) -> None:
    """Conflict marks are called what they are."""
    save_run(run(), path)
    path.write_text(path.read_text() + "<<<<<<< HEAD\n")
    refused(path, "unresolved merge conflict")


def _flip(values: dict[str, Any]) -> None:
    values["cells"]["black"] = "A"


def _unknown_label(values: dict[str, Any]) -> None:
    values["cells"]["black"] = "C"


def _unknown_outcome(values: dict[str, Any]) -> None:
    values["cells"]["black"] = {"skipped": "why"}


def _answer_in_an_object(values: dict[str, Any]) -> None:
    values["cells"]["black"] = {"correct": "A"}


def _two_outcomes(values: dict[str, Any]) -> None:
    values["cells"]["black"] = {"failed": "why", "unparsed": "neither"}


def _reason_that_is_no_text(values: dict[str, Any]) -> None:
    values["cells"]["black"] = {"failed": 7}


def _unknown_field(values: dict[str, Any]) -> None:
    values["cells"]["black"] = {"outcome": "wrong", "choice": "B", "score": 1}


def _empty_cell(values: dict[str, Any]) -> None:
    values["cells"]["black"] = {}


def _number(values: dict[str, Any]) -> None:
    values["cells"]["black"] = 1


def _hole(values: dict[str, Any]) -> None:
    del values["cells"]["black"]


def _no_video(values: dict[str, Any]) -> None:
    del values["video"]


def _number_as_task(values: dict[str, Any]) -> None:
    values["task"] = 7


def _foreign_answer(values: dict[str, Any]) -> None:
    values["answer"] = "Z"


@pytest.mark.parametrize(
    "change",
    [
        _flip,
        _unknown_label,
        _unknown_outcome,
        _answer_in_an_object,
        _two_outcomes,
        _reason_that_is_no_text,
        _unknown_field,
        _empty_cell,
        _number,
        _hole,
        _no_video,
        _number_as_task,
        _foreign_answer,
    ],
)
def test_a_line_edited_by_hand_is_refused(
    path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    """What no run can have said is not taken for one."""
    save_run(run(), path)
    edit(path, FIRST_QUESTION, change)
    # An answer that could be one only shows in the counts of all.
    line = 5 if change is _flip else FIRST_QUESTION
    assert f"{path}:{line + 1}: " in refused(path)


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (0, {"questions": 3}),
        (0, {"extra": 1}),
        (0, {"conditions": ["original"]}),
        (0, {"checkpoint": ["a"]}),
        (0, {"created": 5}),
        (0, {"reason": None}),
        (0, {"environment": 5, "version": 2}),
        (1, {"comparable": None}),
        (1, {"comparable": {"seed": 0}}),
        (2, {"subject": {"weights": None}}),
        (4, {"caps": {"failed": 7}}),
        (4, {"caps": {"unknown": 0.1}}),
        (4, {"caps": 7}),
        (5, {"count": {}}),
        (5, {"counts": {}}),
        (6, {"vdg": {"estimate": 0.5}}),
    ],
)
def test_a_header_edited_by_hand_is_refused(
    path: Path, line: int, change: dict[str, Any]
) -> None:
    """A header that does not fit its lines is not taken for one."""
    save_run(run(), path)
    edit(path, line, lambda o: o.update(change))
    said = refused(path)
    # Of the first line and of caps it may be the sense that is wrong, not the form.
    assert f"{path}:{line + 1}: " in said or line in (0, 4)


def test_what_a_run_should_hold_comes_back(path: Path) -> None:
    """A run that was cut short is still one when it is read again."""
    part = replace(run(), planned={"colour": 2, "count": 1})
    for full in (True, False):
        save_run(part, path, full=full)
        assert load_run(path).planned == part.planned
    save_run(run(), path)
    assert "planned" not in lines_of(path)[0]


@pytest.mark.parametrize(
    "planned", [3, {"colour": "3"}, {"colour": True}, {"colour": 1, "x": 9}, {"x": 9}]
)
def test_fewer_planned_than_there_are_is_refused(path: Path, planned: object) -> None:
    """Nor is a number that is none: no verdict may say 3 of 2."""
    save_run(run(), path)
    edit(path, 0, lambda o: o.update(planned=planned))
    refused(path, "planned")


def test_a_task_of_which_nothing_was_planned_is_refused(path: Path) -> None:
    """What was planned says of every question that is there."""
    save_run(run(), path)
    edit(path, FIRST_QUESTION, lambda o: o.update(task="order"))
    edit(path, 0, lambda o: o.update(planned={"colour": 9}))
    refused(path, "planned")


def test_a_whole_cell_under_another_question_is_refused(path: Path) -> None:
    """In a full file a record cannot stand under a neighbour's id."""
    save_run(run(), path, full=True)
    edit(path, FIRST_QUESTION, lambda o: o.update(id="q0"))
    refused(path, "stands under")


@pytest.mark.parametrize("changes", [{"choice": "Z"}, {"choice": "A"}])
def test_a_whole_cell_that_contradicts_itself_is_refused(
    path: Path, changes: dict[str, str]
) -> None:
    """In a full file, too, a choice is an option, and decides the outcome."""
    save_run(run(), path, full=True)
    # It says that B was chosen, which is wrong.
    edit(path, FIRST_QUESTION, lambda o: o["cells"]["black"].update(changes))
    assert f"{path}:{FIRST_QUESTION + 1}: " in refused(path)


def test_runs_load_whatever_order_they_were_made_in(path: Path) -> None:
    """The order of questions in a run leaves no trace in the file."""
    save_run(run(question("q1"), question("q2")), path)
    one = path.read_bytes()
    save_run(run(question("q2"), question("q1")), path)
    assert path.read_bytes() == one


def test_the_type_of_a_loaded_run_is_the_plain_one(path: Path) -> None:
    """A baseline is a `Run` like any other, so every assertion takes it."""
    save_run(run(), path)
    assert isinstance(load_run(path), Run)
