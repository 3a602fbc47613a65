"""Arms joined question by question: by content, never by position."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import ConfigError, NotComparable
from pytest_vdg.logs.answers import Log, LoggedAnswer
from pytest_vdg.logs.join import Joined, condition_called, join
from pytest_vdg.store.runfile import load_run, save_run
from tests.assertions.build import arms, make_run

OPTIONS = {"A": "red", "B": "blue", "C": "green"}


def said(
    name: str = "q1",
    reply: str | None = "A",
    place: str | None = None,
    **changes: Any,  # noqa: ANN401
) -> LoggedAnswer:
    """Return a logged answer to a question whose key is A."""
    given_: dict[str, Any] = {
        "id": name,
        "question": f"Which colour has {name}?",
        "options": OPTIONS,
        "answer": "A",
        "task": "colour",
        "video": f"{name}.mp4",
        "failure": "it broke" if reply is None else None,
    }
    place = place or f"log: {name} {reply}"
    return LoggedAnswer(place=place, reply=reply, **(given_ | changes))


def log(*answers: LoggedAnswer, name: str = "a.jsonl", **changes: Any) -> Log:  # noqa: ANN401
    """Return a log of *answers*."""
    values: dict[str, Any] = {"harness": "table", "sha256": name}
    return Log(path=Path(name), answers=answers, **(values | changes))


def put(original: Sequence[LoggedAnswer], black: Sequence[LoggedAnswer]) -> Joined:
    """Join two arms."""
    logs = {"original": [log(*original)], "black": [log(*black)]}
    return join(logs, checkpoint="step-1", slice_name="colours")


@given(st.integers(min_value=0, max_value=10_000))
def test_position_means_nothing(seed: int) -> None:
    """However the rows of each arm are ordered, the same run comes out."""
    names = [f"q{i}" for i in range(6)]
    original = [said(n, "ABC"[i % 3]) for i, n in enumerate(names)]
    black = [said(n, "AB"[i % 2]) for i, n in enumerate(names)]
    expected = put(original, black).run
    random.Random(seed).shuffle(original)
    random.Random(seed + 1).shuffle(black)
    found = put(original, black).run
    assert found.cells == expected.cells
    assert set(found.questions) == set(expected.questions)
    assert found.fingerprint == expected.fingerprint


def test_replies_are_parsed_by_our_parser() -> None:
    """A letter in prose is none; a declared one is; the reply is kept verbatim."""
    replies = ["Based on it, C.", "A person. The answer is (B).", "A dog", ""]
    answers = [said(f"q{i}", reply) for i, reply in enumerate(replies)]
    run = put(answers, answers).run
    cells = [run.cells[f"q{i}", "original"] for i in range(4)]
    assert [cell.choice for cell in cells][1:] == ["B", None, None]
    assert [cell.reply for cell in cells] == replies
    assert [str(cell.outcome) for cell in cells][2:] == ["unparsed", "unparsed"]
    assert cells[2].reason == "reply chose no option: 'A dog'"
    assert cells[3].reason == "empty reply"


def test_a_question_that_one_arm_lacks_is_failed_there() -> None:
    """A run that stopped early leaves failed cells, which the caps then judge."""
    result = put([said("q1"), said("q2")], [said("q2"), said("q3")])
    cells = result.run.cells
    assert {q.id for q in result.run.questions} == {"q1", "q2", "q3"}
    assert [str(cells[k].outcome) for k in (("q1", "black"), ("q3", "original"))] == [
        "failed",
        "failed",
    ]
    assert cells["q1", "black"].reason == "no row in the logs"
    told = "black: 1 question has no row and counts as failed (first: q1)"
    assert told in result.notes


def test_an_answer_counts_before_a_failure() -> None:
    """A question that was tried again is one cell, and it is told."""
    for several in ([said(reply=None), said()], [said(), said(reply=None)]):
        result = put(several, [said()])
        assert str(result.run.cells["q1", "original"].outcome) == "correct"
        assert any("1 question has several rows" in note for note in result.notes)


def test_two_different_answers_are_refused() -> None:
    """Neither the first nor the last is the model's answer."""
    with pytest.raises(NotComparable, match="several answers under 'original': 'A' in"):
        put([said(), said(reply="B")], [said()])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"question": "Which shape?"}, "the text"),
        ({"options": {"A": "red", "B": "black", "C": "green"}}, "the options"),
        ({"options": {"A": "red", "B": "blue"}}, "the options"),
        ({"options": dict(reversed(OPTIONS.items()))}, "the order of the options"),
        ({"answer": "B"}, "the key"),
        ({"task": "shape"}, "the task"),
        ({"video": "other.mp4"}, "the video"),
    ],
)
def test_arms_that_asked_something_else_are_refused(
    changes: dict[str, object], told: str
) -> None:
    """Whatever differs is named, with both places; also within one arm."""
    with pytest.raises(NotComparable, match=f"{told} of question 'q1'") as caught:
        put([said(place="first: 1")], [said(place="second: 1", **changes)])
    assert "first: 1" in str(caught.value)
    assert "second: 1" in str(caught.value)
    with pytest.raises(NotComparable, match=told):
        put([said(), said(**changes)], [said()])


def test_of_several_answers_one_kind_can_be_taken() -> None:
    """Rows of its name count, and those that name none; all others are left out."""
    rows = [said(variant="first"), said(reply="B", variant="last"), said("q2")]
    given_ = {"checkpoint": "c", "slice_name": "s"}
    cells = join({"original": [log(*rows)]}, variant="last", **given_).run.cells
    assert {k[0]: str(cell.outcome) for k, cell in cells.items()} == {
        "q1": "wrong",
        "q2": "correct",
    }
    with pytest.raises(
        NotComparable, match=r"--take 'first' \(there are first, last\)"
    ):
        join({"original": [log(*rows)]}, **given_)
    with pytest.raises(
        ConfigError, match=r"no row is of that name\. Did you mean 'las"
    ):
        join({"original": [log(*rows)]}, variant="lst", **given_)


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        (None, "is of condition 'black'$"),
        ("x", "is of condition 'black' and --take 'x'$"),
    ],
)
def test_a_file_without_a_row_of_its_condition_is_refused(
    variant: str | None, told: str
) -> None:
    """An arm that was given is never quietly left out."""
    logs = {
        "original": [log(said(variant="x"))],
        "black": [log(said(condition="original", variant="x"), name="b.jsonl")],
    }
    with pytest.raises(NotComparable, match=rf"no row of b\.jsonl {told}"):
        join(logs, checkpoint="c", slice_name="s", variant=variant)


def test_logs_without_rows_are_no_run() -> None:
    """Nothing is judged on nothing."""
    with pytest.raises(NotComparable, match="no row of the logs is of any condition"):
        join({"": [log()]}, checkpoint="c", slice_name="s")
    with pytest.raises(NotComparable, match="does not say its condition"):
        join({"": [log(said())]}, checkpoint="c", slice_name="s")


def test_where_both_rows_have_a_digest_it_decides_about_the_text() -> None:
    """Prompts put the same question in other words; a harness's digest does not."""
    put([said(digest="d", question="Reply with a letter.")], [said(digest="d")])
    with pytest.raises(NotComparable, match=r"the harness's digest of .* is 'e', but"):
        put([said(digest="d")], [said(digest="e")])
    for one, other in (("d", None), (None, "d")):
        put([said(digest=one)], [said(digest=other)])
        with pytest.raises(NotComparable, match="the text of question 'q1'"):
            put([said(digest=one)], [said(digest=other, question="Which shape?")])


def test_the_last_of_several_failures_is_told() -> None:
    """What was tried again and failed again failed for the later reason."""
    tried = [said(reply=None, failure="no memory"), said(reply=None, failure="no disk")]
    cell = put(tried, [said()]).run.cells["q1", "original"]
    assert (str(cell.outcome), cell.reason) == ("failed", "no disk")


def test_spaces_and_case_are_no_difference() -> None:
    """One harness strips what the next one does not."""
    put([said()], [said(question="which  colour has Q1? ")])


@pytest.mark.parametrize("variant", ["q\u00e4", "Qa\u0308", "\uff31\u00e4"])
def test_ids_that_differ_by_spelling_are_refused(variant: str) -> None:
    """By case or by Unicode form: they would be two questions, each with a hole."""
    asked = "Which colour has Q\u00e4?"
    with pytest.raises(NotComparable, match="but for case, space or Unicode form"):
        put([said("Q\u00e4", question=asked)], [said(variant, question=asked)])


@pytest.mark.parametrize(
    ("given_", "called"),
    [
        ("original", "original"),
        ("single_frame:middle", "single_frame:middle"),
        ("noise", "noise"),
        ("blackk", None),
        ("reverse", None),
        ("black:no", None),
        ("compressed:38", "compressed:38"),
        ("fps:0.5", "fps:0.5"),
        ("compressed:99", None),
        ("compressed", None),
        ("crf38", None),
    ],
)
def test_conditions_are_ours_or_plainly_not(given_: str, called: str | None) -> None:
    """A misspelt condition is an error; one that only others have keeps its name."""
    if called is None:
        with pytest.raises(ConfigError):
            condition_called(given_)
    else:
        assert condition_called(given_) == called


def test_two_imports_of_one_harness_are_comparable() -> None:
    """Two checkpoints under equal settings; another version is named."""
    runs = [
        join(
            {"original": [log(said(reply=reply), settings={"version": version})]},
            checkpoint=reply,
            slice_name="s",
        ).run
        for reply, version in (("A", "1"), ("B", "1"), ("B", "2"))
    ]
    require_comparable(runs[0], runs[1])
    with pytest.raises(NotComparable, match="version: 2, was 1"):
        require_comparable(runs[2], runs[0])


def test_an_import_is_not_compared_with_a_run_of_ours() -> None:
    """Of ours far more is known: the fields that one of them lacks are named."""
    imported = put([said()], [said()]).run
    ours = make_run(arms(both=1), comparable={"dtype": "float32"})
    with pytest.raises(NotComparable) as caught:
        require_comparable(imported, ours)
    for field in ("source: imported logs, was None", "dtype: None, was float32"):
        assert field in str(caught.value)


def test_a_setting_is_named_after_its_condition_where_arms_differ() -> None:
    """The arm without a video is another task of the harness."""
    logs = {
        "original": [log(said(), settings={"task": "videomme"})],
        "text_only": [log(said(), settings={"task": "videomme_no_visual"})],
    }
    comparable = join(logs, checkpoint="c", slice_name="s").run.fingerprint.comparable
    assert comparable["task (original)"] == "videomme"
    assert comparable["task (text_only)"] == "videomme_no_visual"
    assert comparable["harness"] == "table"


def test_an_imported_run_is_stored_whole(tmp_path: Path) -> None:
    """Replies, reasons and the digests of the files survive the file."""
    run = put([said(reply="\ud800 odd")], [said(reply=None)]).run
    save_run(run, tmp_path / "run.jsonl", full=True)
    back = load_run(tmp_path / "run.jsonl")
    assert dict(back.cells) == dict(run.cells)
    assert back.fingerprint.subject["file original a.jsonl"] == "sha256:a.jsonl"


def test_a_row_has_a_reply_or_a_reason() -> None:
    """Neither, or both, is a mistake of the reader."""
    with pytest.raises(ValueError, match="a reply or a reason"):
        LoggedAnswer(place="here", reply=None)
    with pytest.raises(ValueError, match="a reply or a reason"):
        LoggedAnswer(place="here", reply="A", failure="it broke")


def test_logs_of_several_models_are_refused() -> None:
    """A gap between two checkpoints is no gap of one; same names need a word."""
    logs = {
        "original": [log(said("q1"), model="org/a")],
        "black": [log(said("q1", "B"), name="b.jsonl", model="org/b")],
    }
    given_ = {"checkpoint": "step-1", "slice_name": "colours"}
    with pytest.raises(NotComparable, match="of 2 models: original: 'org/a' in a"):
        join(logs, **given_)
    run = join(logs, one_model=True, **given_).run
    assert run.fingerprint.subject["model"] == "org/a; org/b"


def test_arms_without_a_question_in_common_are_refused() -> None:
    """lmms-eval calls the same question otherwise in its task without video."""
    with pytest.raises(
        NotComparable, match=r"original has no question in common.*'n/0'"
    ):
        put([said("v/0")], [said("n/0")])
    with pytest.raises(NotComparable, match="--benchmark NAME --path PATH"):
        put([said("v/0")], [said("n/0")])


def test_settings_in_which_conditions_differ_are_told() -> None:
    """Eight frames against thirty-two are a difference of their own."""
    logs = {
        "original": [log(said("q1"), settings={"model_args": "max_frames=32"})],
        "black": [log(said("q1", "B"), settings={"model_args": "max_frames=8"})],
    }
    notes = join(logs, checkpoint="step-1", slice_name="colours").notes
    assert notes[0].startswith(
        "the conditions differ in model_args (original: max_frames=32, black: max_fr"
    )


def test_the_arm_that_names_the_video_tells_it() -> None:
    """Videos are the clusters of every interval, whichever arm comes first."""
    original = [said("q1", video=None), said("q2", video=None)]
    black = [said("q1", video="v.mp4"), said("q2", video="v.mp4")]
    result = put(original, black)
    assert {q.video for q in result.run.questions} == {"v.mp4"}
    assert result.notes == ()
