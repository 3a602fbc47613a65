"""Which cells there are, and in which order: without a video or a model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.plan import make_plan, parse_conditions, union
from pytest_vdg.errors import ConfigError, CouldNotBeJudged
from tests.engine.examples import question, slice_of

NOWHERE = Path("no-such-folder")


def test_questions_are_grouped_by_video(light: Slice) -> None:
    """A video is in the plan once, with all its questions."""
    plan = make_plan(light, ["original", "black"], seed=0)
    groups = {v.video: [q.id for q in v.questions] for v in plan.videos}
    assert groups == {"a.mp4": ["q4"], "b.mp4": ["q1", "q2"], "c.mp4": ["q3", "q5"]}
    assert list(groups) == sorted(groups)


def test_every_cell_is_planned_once(light: Slice) -> None:
    """The plan holds each question under each condition, and nothing twice."""
    plan = make_plan(light, ["original", "black"], seed=0)
    cells = [(q.id, str(c)) for _, q, c in plan.cells()]
    assert len(cells) == len(set(cells)) == plan.total == 10


def test_the_order_of_the_slice_does_not_change_the_plan(
    questions: list[Question],
) -> None:
    """Two workers given the same questions plan the same, shuffled or not."""
    one = make_plan(slice_of(NOWHERE, questions), ["original", "mismatched"], seed=3)
    back = make_plan(
        slice_of(NOWHERE, questions[::-1]), ["original", "mismatched"], seed=3
    )
    assert one == back


def test_a_plan_opens_no_file(questions: list[Question]) -> None:
    """A plan can be shown where the videos are not."""
    plan = make_plan(slice_of(NOWHERE, questions), ["original"], seed=0)
    assert plan.total == 5


def test_each_video_gets_another_one_as_partner(light: Slice) -> None:
    """Under mismatched no video is shown as itself."""
    plan = make_plan(light, ["mismatched"], seed=0)
    assert sorted(v.partner or "" for v in plan.videos) == ["a.mp4", "b.mp4", "c.mp4"]
    assert all(v.partner != v.video for v in plan.videos)


def test_partners_are_only_sought_where_needed() -> None:
    """One video alone is no problem unless a condition needs two."""
    alone = slice_of(NOWHERE, [question("q1", "a.mp4")])
    assert make_plan(alone, ["original"], seed=0).no_partner is None
    assert make_plan(alone, ["mismatched"], seed=0).no_partner is not None


def test_repeated_conditions_count_once() -> None:
    """Asking for a condition twice costs nothing."""
    parsed = parse_conditions(["black", "original", "black"])
    assert [str(c) for c in parsed] == ["black", "original"]


def test_no_condition_is_a_mistake() -> None:
    """A run under no condition would judge nothing, silently."""
    with pytest.raises(ConfigError, match="no condition"):
        parse_conditions([])


def test_an_unknown_condition_is_named() -> None:
    """The error says what was probably meant."""
    with pytest.raises(ConfigError, match="shuffled"):
        parse_conditions(["original", "shufled"])


def test_a_bare_text_is_not_read_letter_by_letter() -> None:
    """conditions='black' is one mistake, not five unknown conditions."""
    with pytest.raises(ConfigError, match=r"conditions=\['black'\]"):
        parse_conditions("black")


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_has_no_order(kind: type[set[str] | frozenset[str]]) -> None:
    """Its order differs from process to process, and with it that of a run."""
    with pytest.raises(ConfigError, match=r"the set \['black', 'original'\]"):
        parse_conditions(kind(["original", "black"]))  # type: ignore[arg-type]


def test_a_slice_without_questions_cannot_be_judged() -> None:
    """Nothing passes because nothing was asked."""
    empty = SimpleNamespace(name="none", questions=())
    with pytest.raises(CouldNotBeJudged, match="'none' holds no question"):
        make_plan(empty, ["original"], seed=0)  # type: ignore[arg-type]


def test_needs_are_joined_by_key() -> None:
    """What several tests need of one slice is the union of their conditions."""
    needs = [
        ("s1", ["original", "black"]),
        ("s2", ["text_only"]),
        ("s1", ["shuffled", "black"]),
    ]
    assert union(needs) == {
        "s1": ("original", "black", "shuffled"),
        "s2": ("text_only",),
    }
