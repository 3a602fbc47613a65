"""Questions under several orders: same words, same key, no certainty gained."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.rotation import offsets, refers, rotated, turned_from
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.errors import ConfigError
from pytest_vdg.stats import counted
from tests.benchmarks.made import question


def lettered(n: int, **fields: object) -> Question:
    """Return a question with *n* options."""
    texts = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]: f"text {i}" for i in range(n)}
    return question(texts=texts, **fields)


def slice_of(*questions: Question):  # noqa: ANN201 - a Slice
    """Return the slice of these questions."""
    return take(Benchmark(name="made", root=Path(), questions=questions, source="made"))


def test_rotations_by_hand() -> None:
    """Four options under two orders: as published, and turned by half."""
    texts = {"A": "a", "B": "b", "C": "c", "D": "d"}
    turned = rotated(slice_of(question(texts=texts, answer="B")), 2).questions
    assert [(q.id, "".join(q.texts.values()), q.answer) for q in turned] == [
        ("q1@0", "abcd", "B"),
        ("q1@1", "cdab", "D"),
    ]
    assert [q.extra for q in turned] == [
        {"rotation": 0, "of": "q1"},
        {"rotation": 2, "of": "q1"},
    ]


@given(st.integers(2, 26), st.integers(2, 30), st.data())
def test_labels_stay_and_the_key_goes_with_its_text(
    options: int, rotations: int, data: st.DataObject
) -> None:
    """Distinct orders, none twice, and the right text right in all of them."""
    answer = data.draw(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:options]))
    made = lettered(options, answer=answer)
    turned = rotated(slice_of(made), rotations).questions
    assert len({tuple(q.texts.values()) for q in turned}) == min(options, rotations)
    for each in turned:
        assert each.labels == made.labels
        assert sorted(each.texts.values()) == sorted(made.texts.values())
        assert each.texts[each.answer] == made.texts[made.answer]


@given(st.integers(2, 26))
def test_as_many_rotations_as_options_make_the_key_even(options: int) -> None:
    """Under all rotations each label is right once: a liking earns chance."""
    turned = rotated(slice_of(lettered(options)), options).questions
    assert sorted(q.answer for q in turned) == sorted(turned[0].labels)


@given(st.integers(2, 26), st.integers(2, 30))
def test_rotations_are_spread_evenly(options: int, rotations: int) -> None:
    """Neighbouring rotations lie equally far apart, but for rounding."""
    places = [*offsets(options, rotations), options]
    steps = {after - before for before, after in itertools.pairwise(places)}
    assert places[0] == 0
    assert max(steps) - min(steps) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Both A and B",
        "both a and b",
        "A and C",
        "A, B and C",
        "(A) & (C)",
        "A/B",
        "Neither A nor B",
        "B only",
        "Only C",
        "Same as option B",
        "Options A and D are correct",
        "All of the above",
        "None of the above.",
        "Both of the above",
        "all the above",
        "None of these",
        "None of the other options",
        "Any of the options",
    ],
)
def test_options_that_speak_of_others_stay_where_they_are(text: str) -> None:
    """In another place ``Both A and B`` would mean other options: asked once."""
    fixed = question(texts={"A": "x", "B": "y", "C": "z", "D": text}, answer="D")
    free = lettered(4)
    assert refers(fixed)
    made = slice_of(fixed, question("q2", texts=free.texts))
    turned = rotated(made, 4)
    assert sorted(q.id for q in turned.questions) == [
        "q1@0",
        *(f"q2@{i}" for i in range(4)),
    ]
    (note,) = turned.notes
    assert "1 of 2 questions were not rotated" in note
    assert "q1" in note


@pytest.mark.parametrize(
    "text",
    [
        "the man above the table",
        "a dog and a cat",
        "A man and a woman",
        "both",
        "all of them",
        "I",
        "only a child",
        "vitamin A and B vitamins in a diet that changes often",
        "one of his options is to leave",
        "below",
    ],
)
def test_ordinary_options_are_rotated(text: str) -> None:
    """Words that merely look alike keep no question from being rotated."""
    assert not refers(question(texts={"A": "x", "B": "y", "C": text}))


def test_a_question_that_names_labels_is_not_rotated() -> None:
    """``Is option A right?`` asks about the option that stands there."""
    assert refers(question(text="Is option A right, or option B?"))
    assert not refers(question(text="Which option is right?"))


def test_the_slice_is_another_one() -> None:
    """Name and digest tell, and the slice it was made of is left alone."""
    made = slice_of(lettered(4))
    turned = rotated(made, 3)
    assert turned.name == "made-rot3"
    assert turned.digest != made.digest
    assert [q.id for q in made.questions] == ["q1"]
    assert turned.chance == made.chance


@pytest.mark.parametrize("rotations", [1, 0, True, 2.0, "2"])
def test_one_rotation_is_none(rotations: object) -> None:
    """Rotating needs at least two orders, as a whole number."""
    with pytest.raises(ConfigError, match="whole number of at least 2"):
        rotated(slice_of(lettered(4)), rotations)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "extra", "of"),
    [
        ("q1@0", {"rotation": 0, "of": "q1"}, "q1"),
        ("a.b@2", {"rotation": 2, "of": "a.b"}, "a.b"),
        ("q1", {}, ""),
        ("q7", {"rotation": 90, "of": "camera 2"}, ""),
        ("q1@0", {"of": "q1"}, ""),
        ("q1@x", {"rotation": 0, "of": "q1"}, ""),
        ("axb@2", {"rotation": 2, "of": "a.b"}, ""),
    ],
)
def test_a_rotation_tells_what_it_is_one_of(
    name: str, extra: dict[str, object], of: str
) -> None:
    """And no column of a file that happens to be called so does."""
    assert turned_from(question(name, extra=extra)) == of


def test_every_rotation_is_one_of_its_question() -> None:
    """Also a question that is asked once, so that all are counted alike."""
    fixed = question(texts={"A": "x", "B": "Both of the above"}, answer="B")
    turned = rotated(slice_of(fixed, question("q2", texts=lettered(3).texts)), 3)
    found = sorted(turned_from(q) for q in turned.questions)
    assert found == ["q1", "q2", "q2", "q2"]


scores = st.lists(st.integers(-1, 1), min_size=2, max_size=60)


@given(scores, st.integers(2, 6))
def test_same_answers_in_all_rotations_add_no_certainty(
    values: list[int], rotations: int
) -> None:
    """Rotations that agree leave a gap and its interval as they were."""
    once = counted.difference(values, range(len(values)))
    again = [v for v in values for _ in range(rotations)]
    videos = [i for i in range(len(values)) for _ in range(rotations)]
    turned = counted.difference(again, videos, questions=videos)
    assert turned.estimate == pytest.approx(once.estimate, abs=1e-12)
    assert turned.low <= once.low + 1e-9
    assert turned.high >= once.high - 1e-9
    assert turned.lower_bound <= once.lower_bound + 1e-9
    assert turned.upper_bound >= once.upper_bound - 1e-9
