"""A slice is pinned: the same ids, on every machine, from any order of a file."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.slices import Slice, take
from pytest_vdg.errors import BenchmarkError, ConfigError
from tests.benchmarks.made import benchmark

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


def test_shares_match_a_count_by_hand() -> None:
    """60, 30 and 10 questions of 100 give 6, 3 and 1 of 10."""
    taken = take(benchmark({"a": 60, "b": 30, "c": 10}), questions=10)
    assert by_task(taken) == {"a": 6, "b": 3, "c": 1}


def test_remainders_go_to_the_largest() -> None:
    """50, 30 and 20 of 100 are worth 3.5, 2.1 and 1.4 of 7: the first rounds up."""
    taken = take(benchmark({"a": 50, "b": 30, "c": 20}), questions=7)
    assert by_task(taken) == {"a": 4, "b": 2, "c": 1}


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


def test_slice_knows_its_shape() -> None:
    """Number, tasks and chance are those of its own questions."""
    taken = pinned(benchmark({"a": 2, "b": 2}), "b-0", "a-1")
    assert (len(taken), taken.tasks) == (2, ("b", "a"))
    assert taken.chance == pytest.approx(1 / 3)
