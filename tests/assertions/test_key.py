"""The key of a slice: balanced, skewed or too short to tell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed, assert_balanced_key
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.stats.proportion import wilson
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run, outcome


def keyed(
    keys: str, *, options: int = 4, start: int = 0, per_video: int = 1
) -> list[Question]:
    """Return a question for each letter of *keys*, which is its answer."""
    return [
        Question(
            id=f"q{start + i:04}",
            text="which?",
            options=tuple(
                Option(label=label, text=f"text {label}")
                for label in "ABCDEFGH"[:options]
            ),
            answer=key,
            task="all",
            video=f"v{(start + i) // per_video}.mp4",
        )
        for i, key in enumerate(keys)
    ]


def refused(questions: Sequence[Question], margin: float = 0.10) -> ClaimFailed:
    """Return the failure of the claim."""
    with pytest.raises(ClaimFailed) as caught:
        assert_balanced_key(questions, margin)
    return caught.value


def test_a_balanced_key_passes() -> None:
    """50 of 200 each: Wilson's interval of a fourth, less a fourth."""
    finding = assert_balanced_key(keyed("ABCD" * 50))
    known = wilson(successes=50, n=200)
    assert finding.low == pytest.approx(known.low - 0.25)
    assert finding.high == pytest.approx(known.high - 0.25)
    assert finding.summary.startswith("ok key share of A - chance +0.0pp [")
    assert finding.summary.endswith("(4 options, n=200 questions, 200 videos)")
    assert finding.checkpoint == ""
    assert "checkpoint" not in finding.message


def test_the_label_that_holds_too_much_is_named() -> None:
    """Every second answer is C: a fourth above its share."""
    finding = refused(keyed("CACBCDCA" * 25)).finding
    assert finding.verdict is Verdict.ABOVE_CEILING
    assert finding.measure == "key share of C"
    assert finding.estimate == pytest.approx(0.25)
    assert "C is the answer to 100 of 200" in finding.message
    assert "smallest detectable rise" in finding.message


def test_few_questions_decide_nothing() -> None:
    """Two of eight may be any share."""
    found = refused(keyed("ABCDABCD")).finding
    assert found.verdict is Verdict.INCONCLUSIVE


def test_each_number_of_options_has_its_own_share() -> None:
    """Half A is even of two options, and a skew of four."""
    pairs = keyed("AB" * 100, options=2)
    fours = keyed("ABCD" * 50, start=200)
    assert assert_balanced_key([*pairs, *fours], 0.15).verdict is Verdict.PASS
    skewed = keyed("AAAB" * 50, options=2)
    failed = refused([*skewed, *fours], 0.15).finding
    assert failed.measure == "key share of A"
    assert "200 with 2 options, n=400 questions" in failed.summary


def test_a_few_odd_questions_do_not_hold_up_the_rest() -> None:
    """Four of 204 questions cannot carry ten points, whatever their key."""
    odd = keyed("AAAA", options=3, start=200)
    finding = assert_balanced_key([*keyed("ABCD" * 50), *odd])
    assert "too few to carry the margin" in " ".join(finding.message.split())


def test_all_labels_of_one_video_are_one_question() -> None:
    """The key of 200 questions on one video says nothing of others."""
    found = outcome(lambda: assert_balanced_key(keyed("ABCD" * 50, per_video=200)))
    assert found.verdict is Verdict.INCONCLUSIVE


def test_every_source_of_questions_is_the_same_claim(tmp_path: Path) -> None:
    """A benchmark, a slice, the questions and a run of them agree."""
    questions = keyed("ABCD" * 50)
    benchmark = Benchmark(
        name="made", root=tmp_path, questions=tuple(questions), source="here"
    )
    found = [
        assert_balanced_key(source)
        for source in (questions, benchmark, take(benchmark))
    ]
    found.append(assert_balanced_key(make_run({"original": "C" * 200})))
    assert len({(f.estimate, f.low, f.high, f.n) for f in found}) == 1


def test_something_else_is_refused_with_where_to_take_it_from() -> None:
    """The name of a slice is no slice."""
    with pytest.raises(TypeError, match=r"fixture vdg_slice.*load_benchmark"):
        assert_balanced_key("sight")


def test_the_built_in_sets() -> None:
    """`sight` is balanced by construction; the key of `sight-leaky` prefers B."""
    assert assert_balanced_key(load_benchmark("sight"), 0.2).verdict is Verdict.PASS
    failed = refused(load_benchmark("sight-leaky").questions).finding
    assert failed.verdict is Verdict.ABOVE_CEILING
    assert failed.measure == "key share of B"


@settings(deadline=None, max_examples=40)
@given(st.text("ABCD", min_size=1, max_size=120), st.floats(0, 1))
def test_a_pass_means_that_every_label_is_below(keys: str, margin: float) -> None:
    """The decision is that of Wilson's bounds, label by label."""
    found = outcome(lambda: assert_balanced_key(keyed(keys), margin))
    uppers = [
        wilson(successes=keys.count(label), n=len(keys)).upper_bound - 0.25
        for label in "ABCD"
    ]
    assert (found.verdict is Verdict.PASS) == (max(uppers) < margin)
