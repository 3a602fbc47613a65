"""A slice is pinned: the same ids, on every machine, from any order of a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.slices import PerVideo, Slice, take
from pytest_vdg.errors import BenchmarkError, ConfigError
from tests.benchmarks.made import benchmark, question

sizes_of_tasks = st.dictionaries(
    st.sampled_from(["colour", "count", "first", "shape", "speed"]),
    st.integers(1, 40),
    min_size=1,
)
seeds = st.integers(0, 5)


def by_task(taken: Slice) -> dict[str, int]:
    """Return how many questions of each task a slice holds."""
    return dict(Counter(q.task for q in taken.questions))


def test_first_ids_are_pinned() -> None:
    """The order within a task is that of SHA-256 over ``seed:id``."""
    made = benchmark({"a": 6})
    ordered = sorted(
        (q.id for q in made.questions),
        key=lambda i: hashlib.sha256(f"7:{i}".encode()).hexdigest(),
    )
    assert take(made, questions=4, seed=7).ids == tuple(ordered[:4])


def test_tasks_of_one_size_are_pinned() -> None:
    """Between equal tasks the order is that of SHA-256 over ``seed:rank:task``."""
    taken = take(benchmark(dict.fromkeys("abcd", 2)), seed=7)
    expected = [
        task
        for rank in (0, 1)
        for task in sorted(
            "abcd",
            key=lambda t, r=rank: hashlib.sha256(f"7:{r}:{t}".encode()).hexdigest(),
        )
    ]
    assert [q.task for q in taken.questions] == expected


def test_shares_match_a_count_by_hand() -> None:
    """60, 30 and 10 questions of 100 give 6, 3 and 1 of 10."""
    taken = take(benchmark({"a": 60, "b": 30, "c": 10}), questions=10)
    assert by_task(taken) == {"a": 6, "b": 3, "c": 1}


def test_remainders_go_to_the_largest() -> None:
    """50, 30 and 20 of 100 are worth 3.5, 2.1 and 1.4 of 7: the first rounds up."""
    taken = take(benchmark({"a": 50, "b": 30, "c": 20}), questions=7)
    assert by_task(taken) == {"a": 4, "b": 2, "c": 1}


def test_shares_are_rounded_and_not_cut() -> None:
    """10 and 3 of 13 are worth 5.4 and 1.6 of 7: the small task rounds up."""
    taken = take(benchmark({"a": 10, "b": 3}), questions=7)
    assert by_task(taken) == {"a": 5, "b": 2}


@given(seeds)
def test_tasks_fill_up_evenly(seed: int) -> None:
    """Question r of s stands at (2r + 1) / 2s of the way, first ones ahead of all.

    So 5 of a stand at 0.1, 0.3, 0.5, 0.7 and 0.9, and 2 of b at 0.25 and 0.75.
    """
    taken = take(benchmark({"a": 5, "b": 2}), seed=seed)
    assert "".join(q.task for q in taken.questions) == "abaaaba"


def test_small_task_is_not_forgotten() -> None:
    """A task of one question in a hundred is in a slice of five."""
    taken = take(benchmark({"large": 98, "small": 1, "tiny": 1}), questions=5)
    assert by_task(taken) == {"large": 3, "small": 1, "tiny": 1}


def test_fewer_questions_than_tasks_take_the_large_tasks() -> None:
    """Two questions of three tasks come from the two largest."""
    taken = take(benchmark({"a": 5, "b": 9, "c": 7}), questions=2)
    assert by_task(taken) == {"b": 1, "c": 1}


@given(sizes_of_tasks, seeds, st.data())
def test_smaller_slices_are_the_beginning_of_larger(
    sizes: dict[str, int], seed: int, data: st.DataObject
) -> None:
    """A slice of 300 contains the slice of 100, so answers are reused."""
    made = benchmark(sizes)
    large = data.draw(st.integers(1, len(made)))
    small = data.draw(st.integers(1, large))
    taken = take(made, questions=large, seed=seed).ids
    assert take(made, questions=small, seed=seed).ids == taken[:small]


@given(sizes_of_tasks, seeds, st.data())
def test_order_of_the_file_plays_no_part(
    sizes: dict[str, int], seed: int, data: st.DataObject
) -> None:
    """A file sorted anew, or with its tasks in another order, slices the same."""
    n = data.draw(st.integers(1, sum(sizes.values())))
    forwards = take(benchmark(sizes), questions=n, seed=seed)
    backwards = take(benchmark(sizes, backwards=True), questions=n, seed=seed)
    assert forwards.ids == backwards.ids
    assert forwards.digest == backwards.digest


@given(sizes_of_tasks, seeds, st.data())
def test_tasks_keep_their_shares(
    sizes: dict[str, int], seed: int, data: st.DataObject
) -> None:
    """No task is further off its share than rounding all tasks can put it."""
    total, k = sum(sizes.values()), len(sizes)
    n = data.draw(st.integers(k, total))
    taken = by_task(take(benchmark(sizes), questions=n, seed=seed))
    assert set(taken) == set(sizes)
    for task, size in sizes.items():
        # Each of k counts is within 1 of x * size for one x; so n is within k of
        # x * total, and each count within 1 + k * size / total of its share.
        assert abs(taken[task] - n * size / total) <= 1 + k * size / total


@given(sizes_of_tasks)
def test_two_tasks_cannot_swap_for_the_better(sizes: dict[str, int]) -> None:
    """Taking one from any task for another brings no share nearer (Sainte-Lague)."""
    n = max(len(sizes), sum(sizes.values()) // 2)
    taken = by_task(take(benchmark(sizes), questions=n))
    for giver, size in sizes.items():
        for receiver, other in sizes.items():
            if giver != receiver and taken[giver] > 1:
                # Quotients of the last seat given and the next one to come.
                assert (2 * taken[giver] - 1) * other <= (
                    2 * taken[receiver] + 1
                ) * size


def test_another_seed_draws_others() -> None:
    """The seed matters, and its draw has another name."""
    made = benchmark({"a": 50, "b": 50})
    one, other = take(made, questions=10), take(made, questions=10, seed=1)
    assert set(one.ids) != set(other.ids)
    assert (one.name, other.name) == ("made-10", "made-10-seed1")
    assert take(made, questions=10, name="nightly").name == "nightly"


def test_everything_is_taken_by_default() -> None:
    """Without a number the slice is the benchmark."""
    made = benchmark({"a": 3, "b": 2})
    taken = take(made)
    assert set(taken.ids) == {q.id for q in made.questions}
    assert taken.name == "made"


@pytest.mark.parametrize("tasks", ["b", ["b"], ("b", "b"), {"b"}])
def test_tasks_can_be_chosen(tasks: str | list[str]) -> None:
    """One name or several, a repeated one counted once."""
    taken = take(benchmark({"a": 3, "b": 2}), tasks=tasks)
    assert by_task(taken) == {"b": 2}
    assert taken.name == "made-b"


def test_default_name_is_fit_for_a_file() -> None:
    """Tasks called ``a/b c`` make no folders and no spaces."""
    assert take(benchmark({"a/b c": 2}), tasks="a/b c", questions=1).name == (
        "made-a_b_c-1"
    )


def test_more_than_exist_is_refused_with_what_exists() -> None:
    """Asking for 300 of 5 is an error that says 5, and of which tasks."""
    with pytest.raises(ConfigError, match=r"has 5 \(a: 3, b: 2\)"):
        take(benchmark({"a": 3, "b": 2}), questions=300)
    with pytest.raises(ConfigError, match=r"has 2 \(b: 2\)"):
        take(benchmark({"a": 3, "b": 2}), questions=3, tasks="b")


@pytest.mark.parametrize("questions", [0, -1, True, 2.0, "3"])
def test_number_must_be_a_positive_whole_one(questions: object) -> None:
    """Nothing, everything-but-one, yes and text are no numbers of questions."""
    with pytest.raises(ConfigError, match="positive whole number"):
        take(benchmark({"a": 3}), questions=questions)  # type: ignore[arg-type]


def test_unknown_task_names_the_nearest() -> None:
    """A mistyped task does not quietly leave its questions out."""
    with pytest.raises(ConfigError, match="Did you mean 'colour'"):
        take(benchmark({"colour": 3}), tasks=["color"])


def test_no_task_is_not_every_task() -> None:
    """An empty list of tasks is a mistake, not a wish for all."""
    with pytest.raises(ConfigError, match="empty list"):
        take(benchmark({"a": 3}), tasks=[])


shared = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 12)), min_size=1, max_size=50
).map(
    lambda pairs: Benchmark(
        name="made",
        root=Path("videos"),
        questions=tuple(
            question(f"q{i}", task=task, video=f"{video}.mp4")
            for i, (task, video) in enumerate(pairs)
        ),
        source="made",
    )
)
"""Benchmarks whose questions share videos, across tasks, too."""
ways = st.sampled_from(["all", "one"])


@given(shared, seeds, st.integers(1, 4), ways, st.data())
def test_slices_nest_in_every_combination(
    made: Benchmark, seed: int, least: int, way: PerVideo, data: st.DataObject
) -> None:
    """Whatever else is asked for, fewer questions are the beginning of more."""

    def taken(n: int) -> tuple[str, ...] | None:
        try:
            drawn = take(made, questions=n, seed=seed, at_least=least, per_video=way)
        except ConfigError:
            return None  # so few cannot hold so many of each task
        return drawn.ids

    top = len({q.video for q in made.questions}) if way == "one" else len(made)
    large = taken(data.draw(st.integers(1, top), label="large"))
    small = taken(data.draw(st.integers(1, top), label="small"))
    if large is not None and small is not None:
        n = min(len(large), len(small))
        assert large[:n] == small[:n]


@given(shared, seeds)
def test_one_a_video_is_one_of_every_video(made: Benchmark, seed: int) -> None:
    """All videos are there, each once, so that questions are independent."""
    videos = [q.video for q in take(made, seed=seed, per_video="one").questions]
    assert sorted(videos) == sorted({q.video for q in made.questions})


@given(seeds, st.integers(1, 2))
def test_small_tasks_choose_their_videos_first(seed: int, least: int) -> None:
    """A large task about the same videos does not crowd a small one out."""
    large = [question(f"l{i}", task="large", video=f"{i}.mp4") for i in range(9)]
    small = [question(f"s{i}", task="small", video=f"{i}.mp4") for i in range(2)]
    made = Benchmark(
        name="made", root=Path("videos"), questions=(*large, *small), source="made"
    )
    taken = take(made, seed=seed, at_least=least, per_video="one")
    assert len(taken) == 9
    assert by_task(taken)["small"] >= least
    assert by_task(taken)["large"] >= 7


@given(shared, seeds, st.integers(2, 4))
def test_each_task_has_its_least_or_all_it_has(
    made: Benchmark, seed: int, least: int
) -> None:
    """A promise is kept or refused; never half kept."""
    there = {t: sum(q.task == t for q in made.questions) for t in made.tasks}
    wanted = {task: min(least, n) for task, n in there.items()}
    taken = take(made, questions=sum(wanted.values()), seed=seed, at_least=least)
    assert by_task(taken) == wanted


@given(shared, seeds)
def test_order_of_the_file_plays_no_part_with_shared_videos(
    made: Benchmark, seed: int
) -> None:
    """Which question of a video is drawn is a matter of its name."""
    turned = replace(made, questions=made.questions[::-1])
    one, other = (take(b, seed=seed, per_video="one") for b in (made, turned))
    assert one.ids == other.ids


def test_too_few_questions_for_each_task_are_refused() -> None:
    """The tasks that come short are named with what they came to."""
    made = benchmark({"a": 30, "b": 2})
    with pytest.raises(
        ConfigError, match=r"4 questions do not hold 3 .*\(a: 2 of 30\)"
    ):
        take(made, questions=4, at_least=3)
    assert by_task(take(made, questions=5, at_least=3)) == {"a": 3, "b": 2}


def test_videos_taken_by_other_tasks_are_no_excuse() -> None:
    """Three tasks about one video cannot have a question each on it alone."""
    made = Benchmark(
        name="made",
        root=Path("videos"),
        questions=tuple(question(t, task=t, video="v.mp4") for t in "abc"),
        source="made",
    )
    assert len(take(made, per_video="one")) == 1
    with pytest.raises(ConfigError, match="do not hold 2 of each task"):
        take(made, per_video="one", at_least=2)


def test_more_than_there_are_videos_is_refused() -> None:
    """With one question a video, as many as videos is all there is."""
    made = Benchmark(
        name="made",
        root=Path("videos"),
        questions=tuple(question(f"q{i}", video=f"{i % 2}.mp4") for i in range(6)),
        source="made",
    )
    with pytest.raises(ConfigError, match=r"3 questions were asked .* has 2"):
        take(made, questions=3, per_video="one")


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"at_least": 0}, "at_least must be a positive whole number"),
        ({"at_least": True}, "at_least must be a positive whole number"),
        ({"per_video": "ones"}, "Did you mean 'one'"),
    ],
)
def test_wrong_wishes_are_named(given_: dict[str, Any], said: str) -> None:
    """The argument is in the message, with what came."""
    with pytest.raises(ConfigError, match=said):
        take(benchmark({"a": 3}), **given_)


def test_draws_have_names_and_say_how_they_came_about() -> None:
    """What is not default is in the name; everything is in `drawn`."""
    taken = take(benchmark({"a": 9}), questions=4, at_least=2, per_video="one", seed=3)
    assert taken.name == "made-4-least2-one-seed3"
    assert taken.drawn == {
        "questions": 4,
        "tasks": None,
        "seed": 3,
        "at_least": 2,
        "per_video": "one",
    }


def pinned(made: Benchmark, *ids: str) -> Slice:
    """Return the slice of these ids."""
    return Slice(name="pinned", benchmark=made, ids=ids)


def test_pinned_ids_must_all_exist() -> None:
    """A question that vanished is counted and named, never left out."""
    with pytest.raises(BenchmarkError, match=r"1 of 2 ids are not in .*'gone'"):
        pinned(benchmark({"a": 2}), "a-0", "gone")


def test_pinned_ids_must_differ() -> None:
    """An id given twice would count its question twice."""
    with pytest.raises(BenchmarkError, match="more than once"):
        pinned(benchmark({"a": 2}), "a-0", "a-0")


def test_empty_slice_is_refused() -> None:
    """Nothing is judged on no question."""
    with pytest.raises(BenchmarkError, match="holds no question"):
        pinned(benchmark({"a": 2}))


def test_digest_is_that_of_ids_and_questions() -> None:
    """Order does not count; another id or another wording does."""
    made = benchmark({"a": 3})
    one = pinned(made, "a-0", "a-1")
    assert one.digest == pinned(made, "a-1", "a-0").digest
    assert one.digest != pinned(made, "a-0", "a-2").digest
    digest = made.questions[0].digest
    rows = f'[["a-0","{digest}"]]'.encode()
    assert pinned(made, "a-0").digest == hashlib.sha256(rows).hexdigest()


def test_digest_of_any_alphabet() -> None:
    """Other letters stand in the text escaped, so that it is the same everywhere."""
    asked = question("\u95ee1")
    made = Benchmark(name="made", root=Path(), questions=(asked,), source="made")
    rows = f'[["\\u95ee1","{asked.digest}"]]'.encode("ascii")
    assert pinned(made, "\u95ee1").digest == hashlib.sha256(rows).hexdigest()


def test_slice_knows_its_shape() -> None:
    """Number, tasks and chance are those of its own questions."""
    taken = pinned(benchmark({"a": 2, "b": 2}), "b-0", "a-1")
    assert (len(taken), taken.tasks) == (2, ("b", "a"))
    assert taken.chance == pytest.approx(1 / 3)
