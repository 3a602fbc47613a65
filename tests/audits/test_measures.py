"""What a panel measures: the same numbers as a single run gives, and their mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.audits.audit import audit
from pytest_vdg.audits.measures import measure
from pytest_vdg.reports.measured import measures as of_run
from tests.audits.panels import member, panel

CELLS = {
    "original": "CCCCCCWW" * 3,
    "text_only": "CCWWWWCW" * 3,
    "black": "CWWWWWCW" * 3,
    "single_frame": "CCWWCWWW" * 3,
    "shuffled": "CCCWCWWW" * 3,
    "reversed": "CWWWCWWW" * 3,
}


def test_one_model_has_the_numbers_of_its_ladder() -> None:
    """The audit and ``vdg ladder`` may not differ on one run."""
    one = member("v", CELLS, per_video=2, tasks=("x", "y"))
    whole = panel(one)
    for task in (None, "x", "y"):
        found = measure(whole, [one], task=task)
        known = {(m.measure, m.treated): m for m in of_run(one.run) if m.task == task}
        for name in ("VDG", "visual gain"):
            theirs = known[name, "original"]
            ours = found.gains[name]
            assert (ours.estimate, ours.low, ours.high) == pytest.approx(
                (theirs.estimate, theirs.low, theirs.high)
            )
        blind = known["blind gap", "text_only"]
        assert found.blind is not None
        assert (found.blind.estimate, found.blind.low) == pytest.approx(
            (blind.estimate, blind.low)
        )
        assert found.ladder is not None
        steps = [known[n, t] for n, t in _STEPS]
        assert [s.estimate for s in found.ladder.steps] == pytest.approx(
            [s.estimate for s in steps]
        )


_STEPS = (
    ("spatial", "single_frame"),
    ("diversity", "shuffled"),
    ("temporal", "original"),
)


letters = st.text("CW", min_size=6, max_size=6)


@given(letters, letters, letters, letters)
def test_a_mean_is_the_mean_of_its_models(
    seen: str, blind: str, seen_too: str, blind_too: str
) -> None:
    """Where all were judged on all, gaps and gains of the mean are their mean."""
    a = member("a", {"original": seen, "text_only": blind})
    b = member("b", {"original": seen_too, "text_only": blind_too})
    both = panel(a, b)
    mean = measure(both, [a, b], who="mean")
    alone = [measure(both, [m]) for m in (a, b)]
    gaps = [m.blind.estimate for m in (*alone, mean) if m.blind is not None]
    gains = [m.gain.estimate for m in (*alone, mean) if m.gain is not None]
    for first, second, third in (gaps, gains):
        assert third == pytest.approx((first + second) / 2)
    assert mean.n == 6  # questions, not askings


def test_two_equal_models_are_not_twice_the_questions() -> None:
    """The interval of the mean of a model and its copy is that of the model."""
    a = member("a", {"original": "CCWC" * 10, "text_only": "CWWW" * 10})
    b = member("b", {"original": "CCWC" * 10, "text_only": "CWWW" * 10})
    both = panel(a, b)
    mean, alone = measure(both, [a, b], who="mean"), measure(both, [a])
    assert mean.gain is not None
    assert alone.gain is not None
    wide, own = (m.gain.high - m.gain.low for m in (mean, alone) if m.gain is not None)
    assert wide >= own - 1e-9


def test_what_was_not_run_is_absent() -> None:
    """No number stands for a condition that nobody was asked under."""
    one = member("v", {"original": "CC", "text_only": "CW"})
    found = measure(panel(one), [one])
    assert set(found.above) == {"original", "text_only"}
    assert set(found.gains) == {"visual gain"}
    assert found.ladder is None


def test_an_audit_holds_means_and_members_by_task() -> None:
    """Means first, then each model; over all tasks, then each."""
    a = member("a", {"original": "CCWC", "text_only": "CWWW"}, tasks=("x", "y"))
    b = member("b", {"original": "CCCC", "text_only": "CWWW"}, tasks=("x", "y"))
    t = member("t", {"text_only": "CWWW"}, kind="text", tasks=("x", "y"))
    found = audit(panel(a, b, t))
    assert [(m.who, m.task) for m in found.measures][:5] == [
        ("mean of 2 video models", None),
        ("a", None),
        ("b", None),
        ("t", None),
        ("mean of 2 video models", "x"),
    ]
    assert found.leading is found.measures[0]
    assert found.of("t", "y").kind == "text"
    assert found.scores is None  # no probabilities
    assert "the score T takes option probabilities" in found.unscored
