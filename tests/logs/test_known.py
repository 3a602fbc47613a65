"""Logged answers found again in a benchmark, which tells what logs leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.errors import NotComparable
from pytest_vdg.logs.join import Joined, join
from pytest_vdg.runs import Run
from tests.logs.test_join import log, said

TEXTS = ("red", "blue", "green")


def question(
    name: str = "q1",
    text: str | None = None,
    **changes: Any,  # noqa: ANN401
) -> Question:
    """Return a question whose first option is right."""
    options = tuple(
        Option(label=label, text=each) for label, each in zip("ABC", TEXTS, strict=True)
    )
    video = f"clips/{name}.mp4"
    given: dict[str, Any] = {"answer": "A", "task": "hue", "video": video}
    given["options"] = options
    return Question(
        id=name,
        text=text or f"Which colour has {name}?",
        **(given | changes),
    )


def whole(*questions: Question, **answer: Any) -> Joined:  # noqa: ANN401
    """Join one logged answer with a benchmark of *questions*."""
    benchmark = Benchmark(name="hues", root=Path(), questions=questions, source="x")
    named = {"benchmark_id": answer.get("name", "q1")} | answer
    arms = {"original": [log(said(**named))]}
    return join(arms, checkpoint="c", slice_name="s", benchmark=benchmark)


def found(*questions: Question, **answer: Any) -> Run:  # noqa: ANN401
    """Return the run of `whole`."""
    return whole(*questions, **answer).run


BARE: dict[str, Any] = {
    "options": None,
    "question": None,
    "answer": None,
    "task": None,
    "video": None,
}


def test_the_benchmark_tells_what_the_log_leaves_out() -> None:
    """Options, key, task and video come from it where only id and reply were kept."""
    run = found(question(), question("q2"), **BARE)
    (asked,) = run.questions
    assert (asked.id, asked.task, asked.video) == ("q1", "hue", "clips/q1.mp4")
    assert (asked.labels, asked.answer) == (("A", "B", "C"), "A")
    assert str(run.cells["q1", "original"].outcome) == "correct"


def test_questions_that_the_logs_leave_out_are_told() -> None:
    """A harness that skips missing videos scores fewer questions in silence."""
    notes = whole(question(), question("q2"), question("q3")).notes
    told = "the logs answer 1 of the 3 questions of benchmark 'hues'"
    assert notes == (f"{told} (the first without: q2)",)
    assert whole(question()).notes == ()


def test_a_number_that_is_another_questions_id_misleads_nobody() -> None:
    """A harness counts from 0; content wins where the ids mean other things."""
    run = found(
        question("0", text="Which shape?"),
        question("1", text="Which colour has q1?"),
        name="0",
        question="Which colour has q1?",
    )
    assert [q.id for q in run.questions] == ["1"]


def test_a_question_is_found_by_its_content() -> None:
    """The harness's number is no id of the benchmark: text and options decide."""
    two = question("x-2", text="Which colour has q1?")
    run = found(question("x-1"), two, name="q1")
    assert [q.id for q in run.questions] == ["x-2"]


def test_a_text_within_a_prompt_is_enough_with_the_options() -> None:
    """Versions that drop the question log the whole prompt."""
    prompt = "Look at the video.\nWhich colour has q1?"
    run = found(question("x-1", "Which colour has q1?"), name="7", question=prompt)
    assert [q.id for q in run.questions] == ["x-1"]
    bare = BARE | {"prompt": prompt + "\nOptions above."}
    one = question("x-1", "Which colour has q1?")
    run = found(one, question("z"), name="7", **bare)
    assert [q.id for q in run.questions] == ["x-1"]


@pytest.mark.parametrize(
    "helps",
    [
        {"video": "some/folder/two.webm"},
        {"video": None, "task": "bench_task_two"},
        {"video": None, "task": None, "name": "task/2"},
    ],
)
def test_equal_contents_are_told_apart_by_video_task_or_number(
    helps: dict[str, Any],
) -> None:
    """They only choose between questions of equal text and options."""
    same = {"text": "What moves?"}
    questions = [
        question("a-1", video="one.mp4", task="task_one", **same),
        question("b-2", video="two.mp4", task="task_two", **same),
    ]
    given = {"name": "n", "question": "What moves?"} | helps
    assert [q.id for q in found(*questions, **given).questions] == ["b-2"]


def test_what_stays_ambiguous_is_refused() -> None:
    """Two questions of equal content and no help: neither is taken."""
    questions = [question(n, text="What moves?") for n in ("a", "b")]
    with pytest.raises(NotComparable, match=r"2 questions of benchmark .*first: a, b"):
        found(*questions, name="n", question="What moves?", video=None)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"question": "Which shape?"}, "its text is"),
        ({"options": {"A": "red", "B": "pink", "C": "green"}}, "its options are"),
        ({"answer": "B"}, "the log's answer is B"),
    ],
)
def test_another_question_of_the_same_id_is_refused(
    changes: dict[str, Any], told: str
) -> None:
    """An id alone never decides: a revised benchmark is noticed."""
    with pytest.raises(NotComparable, match=told):
        found(question(), **changes)


def test_options_in_another_order_keep_the_log_s_letters() -> None:
    """Mirrors differ in the order of options: letters are those the model saw."""
    shown = {"A": "green", "B": "red", "C": "blue"}
    run = found(question(), options=shown, answer="B", reply="B")
    assert run.questions[0].answer == "B"
    assert str(run.cells["q1", "original"].outcome) == "correct"
    run = found(question(), options=shown, answer=None, reply="A")
    assert str(run.cells["q1", "original"].outcome) == "wrong"
    with pytest.raises(NotComparable, match="the log's answer is A"):
        found(question(), options=shown, answer="A")


SPELT = (Option(label="A", text="us"), Option(label="B", text="US"))


@pytest.mark.parametrize("options", [None, {"A": "us", "B": "US"}])
def test_options_that_case_tells_apart_have_one_right_one(
    options: dict[str, str] | None,
) -> None:
    """The key is the option that says the answer to the letter, not the nearest."""
    asked = question(options=SPELT, answer="B")
    run = found(asked, **(BARE | {"options": options}), reply="B")
    assert run.questions[0].answer == "B"
    assert str(run.cells["q1", "original"].outcome) == "correct"
    with pytest.raises(NotComparable, match=r"the log's answer is A\. 'us', that of"):
        found(asked, **(BARE | {"options": {"A": "us", "B": "US"}, "answer": "A"}))


def test_options_that_a_log_made_equal_have_no_known_right_one() -> None:
    """A harness that writes all in small letters leaves the key to the log."""
    small = {"A": "us", "B": "us"}
    asked = question(options=SPELT, answer="B")
    with pytest.raises(NotComparable, match="options A and B of the log say"):
        found(asked, **(BARE | {"options": small}))


def test_a_question_that_is_not_there_is_refused() -> None:
    """Another benchmark, or another revision, is named with the row."""
    with pytest.raises(NotComparable, match=r"no question of benchmark 'hues' has"):
        found(question("z"), name="n")


def test_an_unknown_id_alone_is_no_question() -> None:
    """A row that tells nothing else is named, not passed over."""
    with pytest.raises(
        NotComparable, match=r"no question of .* has this content: 'q9'"
    ):
        found(question(), **BARE, name="q9")


def test_orders_of_a_question_are_told_apart_from_questions() -> None:
    """What a rotated benchmark says of its questions is kept in the run."""
    turned = question("q1@0", extra={"rotation": 0, "of": "q1"})
    run = found(turned, name="q1@0", **BARE)
    assert [(q.id, q.of) for q in run.questions] == [("q1@0", "q1")]
    assert found(question()).questions[0].of == ""
