"""Tests of labels: of answers, of the key, and of one against the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.positions import (
    Positions,
    entropy,
    positions,
    share_explained_by_mode,
)

# Model, black-clip accuracy and key share of its most frequent answer on the 600
# questions of Video-MME, counted in the published answers; and the share that the
# VDG paper prints in Table S5, "Overall", in percent.
EXPLAINED = [(236, 175, 29), (231, 175, 31), (192, 141, -21)]

labelled = st.lists(
    st.tuples(st.sampled_from([None, *"ABCD"]), st.sampled_from("ABCD")),
    min_size=1,
    max_size=60,
)


def of(answers: str, key: str, options: str = "ABCD") -> Positions:
    """Return the positions of one letter a question; "-" is no answer."""
    given = [None if letter == "-" else letter for letter in answers]
    return positions(answers=given, key=list(key), options=[options] * len(key))


@pytest.mark.parametrize(("right", "mode", "printed"), EXPLAINED)
def test_the_explained_share_is_the_printed_one(
    right: int, mode: int, printed: int
) -> None:
    """The most frequent answer's share of the key explains 29, 31 and -21 %."""
    share = share_explained_by_mode(
        accuracy=right / 600, chance=0.25, mode_share=mode / 600
    )
    assert share is not None
    assert round(100 * share) == printed


def test_an_accuracy_at_chance_leaves_nothing_to_explain() -> None:
    """Nothing above chance is explained by nothing, not by a ratio of zeros."""
    assert share_explained_by_mode(accuracy=0.25, chance=0.25, mode_share=0.3) is None


def test_the_floor_is_the_best_constant_answer() -> None:
    """Always 3 is right for 90 of 200 Action Count questions, a floor of 45 %."""
    # TVBench paper, section 3 ("Bias from unbalanced sets"): MVBench's Action
    # Count has the answer 3 in 90 of 200 questions, 9 in one.
    key = ["3"] * 90 + ["2"] * 60 + ["4"] * 49 + ["9"]
    found = positions(
        answers=["3"] * 200, key=key, options=[["2", "3", "4", "9"]] * 200
    )
    assert (found.floor.estimate, found.key.mode) == (0.45, "3")
    assert found.accuracy == found.floor.estimate
    assert found.explained == pytest.approx(1.0)


def test_a_constant_answer_is_biased_beyond_doubt() -> None:
    """Always B, against an even key, differs from it and from uniform."""
    found = of("B" * 40, "ABCD" * 10)
    assert found.largest_excess == "B"
    assert found.excess["B"].estimate == 0.75
    assert found.answers is not None
    assert found.answers.entropy == 0
    assert found.answers.fit.pvalue < 1e-6
    # Stuart-Maxwell by hand: the other three labels were missed 10 times each and
    # never answered wrongly, so 3 * 10**2 / 10 = 30 with 3 degrees of freedom.
    assert found.homogeneity.statistic == pytest.approx(30)


def test_a_skewed_key_answered_rightly_is_no_position_bias() -> None:
    """A sighted model answers as the key goes; the skew is the key's."""
    key = "A" * 30 + "B" * 5 + "C" * 5
    found = of(key, key)
    assert found.key.fit.pvalue < 1e-3
    assert found.homogeneity.pvalue == 1.0
    assert all(difference.estimate == 0 for difference in found.excess.values())


@pytest.mark.parametrize(
    ("counts", "bits"), [((1, 1), 1.0), ((1, 3), 0.811278), ((1, 1, 1, 5), 1.548795)]
)
def test_a_label_that_came_once_counts(counts: tuple[int, ...], bits: float) -> None:
    """By hand: 3/4 log2(4/3) + 1/4 log2(4), and 3/8 log2(8) + 5/8 log2(8/5)."""
    assert entropy(dict(zip("ABCD", counts, strict=False))) == pytest.approx(bits)


def test_entropy_of_a_published_key() -> None:
    """Shares of 36, 20, 22 and 22 % have 1.95 of 2 bits."""
    # VDG paper, section 4.3, scene_transition; the arithmetic: .36 log2(1/.36) =
    # .5306, .20: .4644, .22: .4806 each. (Table S13 prints 0.94.)
    bits = entropy({"A": 18, "B": 10, "C": 11, "D": 11})
    assert bits == pytest.approx(0.5306 + 0.4644 + 2 * 0.4806, abs=1e-4)
    key = "A" * 18 + "B" * 10 + "C" * 11 + "D" * 11
    assert of(key, key).key.evenness == pytest.approx(bits / 2)


def test_questions_may_offer_different_numbers_of_options() -> None:
    """Chance is the mean of 1/K, and a label is expected where it is offered."""
    found = positions(
        answers=["A", "B", "E"], key=["A", "A", "E"], options=["AB", "ABCD", "ABCDE"]
    )
    assert found.chance == pytest.approx((1 / 2 + 1 / 4 + 1 / 5) / 3)
    assert list(found.excess) == list("ABCDE")


def test_unanswered_questions_match_no_label() -> None:
    """A missing answer is counted, is not correct, and is no label."""
    found = of("-A-B", "AABB")
    assert (found.unanswered, found.accuracy) == (2, 0.5)
    silent = of("----", "ABCD")
    assert (silent.answers, silent.explained, silent.unanswered) == (None, None, 4)


@given(labelled)
def test_shares_of_answers_exceed_the_key_by_zero_in_all(
    sample: list[tuple[str | None, str]],
) -> None:
    """What one label gains on the key the others lose, but for missing answers."""
    answers, key = zip(*sample, strict=True)
    found = positions(answers=answers, key=key, options=["ABCD"] * len(key))
    total = math.fsum(difference.estimate for difference in found.excess.values())
    assert total == pytest.approx(-found.unanswered / found.n)
    assert 0 <= found.key.entropy <= 2 + 1e-12
    assert 0 <= found.key.evenness <= 1 + 1e-12
    assert found.floor.estimate >= 1 / 4


@given(labelled, st.randoms(use_true_random=False))
def test_order_does_not_matter(
    sample: list[tuple[str | None, str]], order: object
) -> None:
    """The result is the same in any order of questions."""
    shuffled = list(sample)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    results = []
    for some in (sample, shuffled):
        answers, key = zip(*some, strict=True)
        results.append(positions(answers=answers, key=key, options=["ABCD"] * len(key)))
    assert results[0].excess == results[1].excess
    assert results[0].homogeneity.pvalue == pytest.approx(results[1].homogeneity.pvalue)


def test_clusters_widen() -> None:
    """Ten questions on each of four videos are not forty questions."""
    answers, key = list("AAAB" * 10), list("ABCD" * 10)
    clips = np.repeat(range(4), 10).tolist()
    options = ["ABCD"] * 40
    # One video a label: its questions rise and fall together.
    answers.sort()
    key.sort()
    plain = positions(answers=answers, key=key, options=options)
    shared = positions(answers=answers, key=key, options=options, clusters=clips)
    assert shared.floor.high > plain.floor.high
    assert shared.excess["A"].low < plain.excess["A"].low


@pytest.mark.parametrize(
    ("answers", "key", "message"),
    [
        ("AB", "A", r"equal lengths, got \(2, 1, 1\)"),
        ("", "", "nothing to compare: n is 0"),
        ("AE", "AB", "answer 'E' at position 1 is not among the options A, B, C, D"),
        ("AB", "AF", "key 'F' at position 1"),
    ],
)
def test_impossible_arguments_are_named(answers: str, key: str, message: str) -> None:
    """The error says which label cannot be, and where."""
    with pytest.raises(ValueError, match=message):
        of(answers, key)
