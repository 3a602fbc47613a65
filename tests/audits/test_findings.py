"""Flaws: named where the interval says so, and not where it does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from pytest_vdg.audits.findings import (
    blind_flaws,
    key_flaws,
    shared,
    unused_flaws,
)
from pytest_vdg.audits.key import key_balance
from pytest_vdg.runs import AskedQuestion
from pytest_vdg.stats.shortcut import blind_gap
from tests.assertions.build import LABELS
from tests.audits.panels import member, panel


def asked(key: str, *, labels: tuple[str, ...] = LABELS) -> list[AskedQuestion]:
    """Return a question for each letter of *key*, each on its own video."""
    return [
        AskedQuestion(
            id=f"q{i}", video=f"{i}.mp4", task="x", labels=labels, answer=a, digest=""
        )
        for i, a in enumerate(key)
    ]


def test_a_skewed_key_is_named_with_its_counts() -> None:
    """B in 79 of 80, where 20 are expected."""
    (flaw,) = key_flaws(asked("B" * 79 + "A"))
    assert flaw.words == "skewed key: B in 79 of 80 (20.0 expected)"
    assert (flaw.kind, flaw.task, flaw.bound) == ("key", None, 0.25)
    assert len(flaw.questions) == 79


def test_a_label_that_is_never_right_is_named() -> None:
    """A key without D prefers no single label, but every guess can avoid one."""
    flaws = key_flaws(asked("ABC" * 27))
    assert "skewed key: D in 0 of 81 (20.2 expected)" in [f.words for f in flaws]


def test_a_task_is_told_only_where_the_whole_is_not() -> None:
    """One skew is told once; one that is hidden in the whole is found in its task."""
    x, y = asked("A" * 12), _renamed(asked("BCD" * 12), task="y")
    hidden = {(f.words, f.task) for f in key_flaws([*x, *y])}
    assert ("skewed key: A in 12 of 12 (3.0 expected)", "x") in hidden
    assert {task for _, task in hidden} == {"x", "y"}
    open_ = _renamed(asked("BBBB" * 12), task="y")
    assert {f.task for f in key_flaws([*x, *open_])} == {None}


def test_questions_of_different_numbers_of_options_have_their_own_chance() -> None:
    """A label is held against the questions that offer it."""
    two = asked("AB" * 20, labels=("A", "B"))
    balance = key_balance([*two, *_renamed(asked("ABCD" * 10))])
    assert {s.label: s.expected for s in balance.labels} == pytest.approx(
        {"A": 30, "B": 30, "C": 10, "D": 10}
    )
    assert not any(s.too_often or s.too_seldom for s in balance.labels)


def _renamed(questions: list[AskedQuestion], task: str = "x") -> list[AskedQuestion]:
    return [
        replace(q, id=f"r{q.id}", video=f"r{q.video}", task=task) for q in questions
    ]


def test_one_chance_in_twenty_of_crying_wolf() -> None:
    """Of fair keys of 60 questions at most one in twenty is called skewed.

    By counting: the probability of each number of B whose key would be called so,
    for four labels together.
    """
    level = shared(2 * len(LABELS))  # too often and too seldom, one task
    called = []
    for right in range(61):
        key = "B" * right + ("ACD" * 20)[: 60 - right]
        labels = key_balance(asked(key), confidence=level).labels
        (share,) = (each for each in labels if each.label == "B")
        called.append(share.too_often or share.too_seldom)
    wrongly = binom.pmf(np.arange(61), 60, 0.25) @ np.array(called)
    assert 0.01 < 4 * wrongly < 0.05


def test_a_model_that_needs_no_video_is_named() -> None:
    """With its counts, once: over all tasks, not again for each."""
    knows = member(
        "t", {"text_only": "C" * 36 + "W" * 4}, kind="text", tasks=("x", "y")
    )
    guesses = member("g", {"text_only": "CWWW" * 10}, kind="text", tasks=("x", "y"))
    (flaw,) = blind_flaws(panel(knows, guesses))
    assert flaw.words.startswith(
        "answered without the video: t is right on 36 of 40 (10.0 by chance), blind gap"
    )
    assert flaw.task is None
    assert len(flaw.questions) == 36


def test_what_is_claimed_is_what_the_interval_says() -> None:
    """33 of 100 (25 by chance): the lower end shown is the bound claimed, above 0.

    The ends of the two-sided interval at the same level lie further out, and the
    lower one below 0, which would contradict the claim beside it.
    """
    (flaw,) = blind_flaws(
        panel(member("t", {"text_only": "C" * 33 + "W" * 67}, kind="text"))
    )
    gap = blind_gap(correct=np.arange(100) < 33, options=[4] * 100, clusters=range(100))
    assert gap.low < 0 < gap.lower_bound
    assert (flaw.low, flaw.high) == (gap.lower_bound, gap.upper_bound)
    assert f"[{100 * flaw.low:+.1f}, {100 * flaw.high:+.1f}]" in flaw.words
    skewed = key_flaws(asked("BBBCA" * 9 + "ABCD"))
    assert skewed
    assert all(each.low > each.bound for each in skewed)


def test_a_task_that_needs_no_video_is_found_among_others() -> None:
    """One task of four is told by the text; the whole is not shown to be."""
    cells = {"text_only": "CWWW" * 24}
    model = member("t", cells, kind="text", tasks=tuple("wxyz"))
    found = blind_flaws(panel(model))
    assert [f.task for f in found] == ["w"]
    assert "right on 24 of 24" in found[0].words


def test_a_video_is_unused_only_if_no_model_uses_it() -> None:
    """That one model does not look says nothing of the questions."""
    blind = member("blind", {"original": "CWWW" * 60, "text_only": "CWWW" * 60})
    sighted = member("sighted", {"original": "CCCC" * 60, "text_only": "CWWW" * 60})
    assert unused_flaws(panel(sighted, blind)) == []
    (flaw,) = unused_flaws(panel(blind))
    assert flaw.words.startswith(
        "video not used: original is worth less than 5 points over text_only to blind"
    )


def test_few_questions_show_nothing() -> None:
    """Ten questions without a change do not show that the video is unused."""
    blind = member("blind", {"original": "CWWWCWWWCW", "text_only": "CWWWCWWWCW"})
    assert unused_flaws(panel(blind)) == []


def test_tests_share_their_error() -> None:
    """Twenty looks at 95 % would find something in most flawless benchmarks."""
    assert [shared(n) for n in (1, 20)] == pytest.approx([0.95, 0.9975])
