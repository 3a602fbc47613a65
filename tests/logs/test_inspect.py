"""Inspect's logs, as JSON and as archive. The samples are constructed, see ``made``."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pytest_vdg.errors import NotComparable, StoreError
from pytest_vdg.logs.registry import read_log
from tests.logs.made import (
    PROMPT,
    inspect_log,
    joined,
    outcomes,
    sample,
    write_eval,
    write_json,
)


def test_both_containers_hold_the_same(tmp_path: Path) -> None:
    """A log reads the same from its JSON file and from its archive."""
    log = inspect_log(sample(1), sample("q-2", "ANSWER: A"))
    plain = read_log(write_json(tmp_path / "a.json", log))
    packed = read_log(write_eval(tmp_path / "a.eval", log))
    by_id = {a.id: (a.reply, a.options, a.answer, a.video) for a in plain.answers}
    assert {
        a.id: (a.reply, a.options, a.answer, a.video) for a in packed.answers
    } == by_id
    assert (
        plain.settings
        == packed.settings
        == {
            "task": "videomme",
            "task version": "0",
            "version": "0.3.90",
        }
    )
    assert plain.model == "openai/x"
    result = joined(tmp_path / "a.eval")
    assert outcomes(result) == {"1": "correct", "q-2": "wrong"}
    assert result.run.questions[0].video == "001.mp4"


def test_an_evaluation_that_stopped_is_read_as_far_as_it_came(tmp_path: Path) -> None:
    """Without a header its journal tells what it is; that it did not end is noted."""
    log = inspect_log(sample())
    del log["status"]
    path = write_eval(tmp_path / "a.eval", log, head="_journal/start.json")
    assert any("status is unknown" in note for note in joined(path).notes)


def test_thoughts_and_media_are_no_reply(tmp_path: Path) -> None:
    """Of a message in parts the text is the reply; reasoning names other options."""
    content = [
        {"type": "reasoning", "reasoning": "ANSWER: B"},
        {"type": "text", "text": "ANSWER: C"},
    ]
    asked = [
        {
            "role": "user",
            "content": [
                {"type": "video", "video": "x"},
                {"type": "text", "text": "Why?"},
            ],
        }
    ]
    log = inspect_log(sample(reply=content, input=asked))
    (answer,) = read_log(write_json(tmp_path / "a.json", log)).answers
    assert (answer.reply, answer.question) == ("ANSWER: C", "Why?")


@pytest.mark.parametrize(
    ("changes", "outcome", "reason"),
    [
        ({"error": {"message": "CUDA out of memory"}}, "failed", "CUDA out of memory"),
        ({"output": {"error": "429", "choices": []}}, "failed", "429"),
        ({"output": {"choices": []}}, "failed", "no completion in the log"),
        ({"output": {"completion": "", "choices": []}}, "failed", "no completion in"),
        ({"output": {"completion": "C", "choices": []}}, "correct", None),
        ({"reply": ""}, "unparsed", "empty reply"),
    ],
)
def test_what_did_not_answer_failed(
    tmp_path: Path, changes: dict[str, object], outcome: str, reason: str | None
) -> None:
    """An error is no wrong answer; an empty completion is no error."""
    path = write_json(tmp_path / "a.json", inspect_log(sample(**changes)))
    cell = joined(path).run.cells["1", "original"]
    assert str(cell.outcome) == outcome
    assert (cell.reason or "").startswith(reason or "")


def test_options_within_the_input_are_found(tmp_path: Path) -> None:
    """A task that writes its options into the question lists no choices."""
    log = inspect_log(sample(input=PROMPT, choices=None))
    result = joined(write_json(tmp_path / "a.json", log))
    assert result.run.questions[0].labels == ("A", "B", "C", "D")


def test_epochs_are_chosen_by_name(tmp_path: Path) -> None:
    """A question asked twice has two answers; which counts must be said."""
    log = inspect_log(sample(), sample(reply="ANSWER: A", epoch=2))
    path = write_eval(tmp_path / "a.eval", log)
    with pytest.raises(NotComparable, match="--take 'epoch 1'"):
        joined(path)
    assert outcomes(joined(path, variant="epoch 2")) == {"1": "wrong"}


def test_another_generation_config_is_another_experiment(tmp_path: Path) -> None:
    """Settings that a log names make its run incomparable, and are named."""
    prints = []
    for temperature in (0, 1):
        config = {"temperature": temperature}
        log = inspect_log(sample(), model_generate_config=config)
        path = write_json(tmp_path / f"{temperature}.json", log)
        prints.append(joined(path).run.fingerprint)
    assert prints[0].differences(prints[1]) == (
        'generation: {"temperature": 0}, was {"temperature": 1}',
    )


def test_several_right_answers_are_refused(tmp_path: Path) -> None:
    """A question with two keys is none with one."""
    path = write_json(tmp_path / "a.json", inspect_log(sample(target=["A", "C"])))
    with pytest.raises(StoreError, match="sample 1: several right answers"):
        read_log(path)


def test_what_is_no_archive_of_inspect_is_refused(tmp_path: Path) -> None:
    """Half an archive, and another tool's, are named."""
    path = write_eval(tmp_path / "a.eval", inspect_log(sample()))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(StoreError, match="no whole zip archive"):
        read_log(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights.bin", b"x")
    with pytest.raises(StoreError, match=r"no log that is known here.*weights.bin"):
        read_log(path)
    with pytest.raises(StoreError, match="an archive without"):
        read_log(path, "inspect")
