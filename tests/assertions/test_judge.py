"""What cannot be judged is refused, with its numbers, and never passes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_vdg.assertions import (
    assert_accuracy_above,
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
)
from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.runs import Caps, Run
from pytest_vdg.verdicts import collect_findings
from tests.assertions.build import NO_CAPS, arms, make_run

GOOD = make_run(
    {
        "original": "C" * 80 + "W" * 20,
        "black": "C" * 20 + "W" * 80,
        "shuffled": "C" * 50 + "W" * 50,
    }
)


def refusal(run: Run, *conditions: str, task: str | None = None) -> str:
    """Return the text with which *run* is refused."""
    with pytest.raises(CouldNotBeJudged) as caught:
        require_judgeable(run, conditions, task)
    return str(caught.value)


def test_a_good_run_is_judged() -> None:
    """Nothing missing, nothing said."""
    require_judgeable(GOOD, ("original", "black", "shuffled"))


def test_an_empty_run_is_refused() -> None:
    """Nothing can be learnt from no question."""
    text = refusal(make_run({"original": "", "black": ""}), "original", "black")
    assert text.splitlines()[0].startswith("COULD NOT BE JUDGED: slice sight holds no")


def test_no_task_at_all_is_refused() -> None:
    """An empty list of tasks selects nothing, which is not a pass."""
    with pytest.raises(ValueError, match="selects nothing"):
        require_judgeable(GOOD, ("original", "black"), ())


def test_a_condition_that_was_not_run_is_refused() -> None:
    """The refusal says what was run and what to type."""
    text = refusal(GOOD, "original", "reversed")
    assert text.startswith("COULD NOT BE JUDGED: condition 'reversed' was not run")
    assert "conditions=[..., 'reversed']" in text


def test_failed_cells_count_against_their_cap() -> None:
    """Six of sixty cells out of memory are no answers, and too many."""
    run = make_run({"original": "C" * 60, "black": "C" * 54 + "F" * 6})
    first, *rest = refusal(run, "original", "black").splitlines()
    assert first == (
        "COULD NOT BE JUDGED: 10.0% of the black cells failed "
        "(6 of 60, cap failed=0.02), slice sight"
    )
    assert "  reason    6 black failed: out of memory (first: q0054)" in rest


def test_unparsed_cells_count_against_their_cap() -> None:
    """Replies that chose nothing are wrong answers up to a point."""
    run = make_run({"original": "C" * 60, "black": "C" * 54 + "U" * 6})
    first = refusal(run, "original", "black").splitlines()[0]
    assert first == (
        "COULD NOT BE JUDGED: 10.0% of the black cells chose no option "
        "(6 of 60, cap unparsed=0.02), slice sight"
    )


@pytest.mark.parametrize(("letter", "name"), [("F", "failed"), ("U", "unparsed")])
def test_a_difference_between_conditions_has_its_own_cap(
    letter: str, name: str
) -> None:
    """Losses that hit one arm shift the gap even where each share is allowed."""
    caps = Caps(failed=0.5, unparsed=0.5)
    run = make_run({"original": "C" * 97 + letter * 3, "black": "C" * 100}, caps=caps)
    text = refusal(run, "original", "black")
    assert "3.0 points more original cells" in text
    assert f"cap {name}_difference=0.02" in text


def test_a_share_exactly_at_its_cap_is_allowed() -> None:
    """Two of a hundred is not above two percent, whatever floats say of it."""
    for n in (50, 100, 150, 350):
        lost = n // 50
        cells = "C" * (n - lost) + "F" * lost
        black = "W" * (n - lost) + "F" * lost
        require_judgeable(
            make_run({"original": cells, "black": black}), ("original", "black")
        )


def test_all_problems_are_named_at_once() -> None:
    """One night shows everything there is to fix."""
    run = make_run({"original": "C" * 50 + "U" * 10, "black": "C" * 50 + "F" * 10})
    text = refusal(run, "original", "black")
    assert "black cells failed" in text.splitlines()[0]
    assert "also      16.7% of the original cells chose no option" in text


def test_reasons_are_bounded() -> None:
    """A hundred different reasons do not make a hundred lines."""
    run = make_run({"original": "F" * 100, "black": "F" * 100})
    for number, cell in enumerate(run.cells.values()):
        object.__setattr__(cell, "reason", f"reason {number}\n" + "x" * 500)
    text = refusal(run, "original", "black")
    assert len(text.splitlines()) < 20
    assert "and 196 more reasons" in text


def with_reasons(reasons: dict[tuple[str, str], str], cells: dict[str, str]) -> Run:
    """Return a run of *cells* whose lost ones have these *reasons*."""
    run = make_run(cells)
    told = {
        key: replace(cell, reason=reasons.get(key, cell.reason))
        for key, cell in run.cells.items()
    }
    return replace(run, cells=told)


def test_a_difference_is_that_of_the_two_shares() -> None:
    """Five of a hundred against two: three points more, not five."""
    caps = Caps(failed=0.5)
    run = make_run(
        {"original": "C" * 95 + "F" * 5, "black": "C" * 98 + "FF"}, caps=caps
    )
    assert (
        "3.0 points more original cells failed than black cells (5.0% and 2.0%"
        in refusal(run, "original", "black").splitlines()[0]
    )


def test_only_lost_cells_have_a_reason_to_tell() -> None:
    """The commonest comes first; nothing is said of cells that were answered."""
    run = with_reasons(
        {("q0000", "original"): "broken file", ("q0001", "black"): "broken file"},
        {"original": "FCCC", "black": "CFFF"},
    )
    text = refusal(run, "original", "black")
    assert [line.strip() for line in text.splitlines() if "(first: " in line] == [
        "reason    2 black failed: out of memory (first: q0002)",
        "reason    1 black failed: broken file (first: q0001)",
        "reason    1 original failed: broken file (first: q0000)",
    ]


def test_reasons_do_not_depend_on_the_order_of_questions() -> None:
    """The same losses read the same, so that two nights can be compared."""
    reasons = {(f"q000{i}", "black"): f"reason {i % 3}" for i in range(6)}
    run = with_reasons(reasons, {"original": "C" * 6, "black": "F" * 6})
    other = replace(run, questions=run.questions[::-1])
    assert refusal(run, "original", "black") == refusal(other, "original", "black")


@pytest.mark.parametrize("different", range(1, 12))
def test_reasons_are_counted_to_the_last(different: int) -> None:
    """Those shown and those only counted are all there are; none is never counted."""
    reasons = {(f"q{i:04}", "black"): f"reason {i}" for i in range(different)}
    run = with_reasons(reasons, {"original": "C" * different, "black": "F" * different})
    text = refusal(run, "original", "black")
    more = re.findall(r"and (\d+) more (reasons?)\n", text)
    assert text.count("(first: ") + sum(int(n) for n, _ in more) == different
    assert all(n != "0" and (n == "1") == (noun == "reason") for n, noun in more)


def test_a_condition_that_fits_no_clip_has_not_failed() -> None:
    """Where nothing was asked no share of it failed: the clips are the cause."""
    run = make_run({"original": "C" * 9, "shuffled": "N" * 9})
    text = refusal(run, "original", "shuffled")
    assert text.startswith("COULD NOT BE JUDGED: no question of slice sight was judged")
    assert "9 shuffled not_applicable: one frame has no other order" in text
    assert "original correct" not in text


def test_only_the_conditions_of_the_claim_count() -> None:
    """A broken condition that the claim does not use does not stop it."""
    run = make_run({"original": "C" * 9, "black": "W" * 9, "shuffled": "F" * 9})
    require_judgeable(run, ("original", "black"))
    refusal(run, "original", "shuffled")


def test_only_the_questions_of_the_task_count() -> None:
    """A task that is whole can be judged where another is broken."""
    run = make_run({"original": "CF" * 9, "black": "WW" * 9}, tasks=("good", "bad"))
    require_judgeable(run, ("original", "black"), "good")
    refusal(run, "original", "black", task="bad")


@pytest.mark.parametrize("letter", ["F", "N"])
def test_a_pair_without_a_judged_question_is_refused(letter: str) -> None:
    """With all caps off, nothing judged still cannot be judged."""
    run = make_run({"original": "C" * 9, "black": letter * 9}, caps=NO_CAPS)
    text = refusal(run, "original", "black")
    assert "no question of slice sight was judged under original and black" in text


def test_cells_without_meaning_are_no_failures() -> None:
    """Order of one frame has no meaning: that is counted, not capped."""
    require_judgeable(
        make_run({"original": "C" * 9, "shuffled": "N" * 8 + "W"}),
        ("original", "shuffled"),
    )


SAME = [{"A": 0.25 + i / 100, "B": 0.75 - i / 100} for i in range(9)]
OTHER = [*SAME[:-1], {"A": 0.3300001, "B": 0.6699999}]


def test_answers_that_agree_to_the_last_bit_are_refused() -> None:
    """Where black frames change not one digit, the video did not arrive."""
    run = make_run(
        {"original": "C" * 9, "black": "C" * 9},
        probabilities={"original": SAME, "black": SAME},
    )
    text = refusal(run, "original", "black")
    assert "every reply and every probability is the same" in text.splitlines()[0]


def test_one_digit_of_difference_is_enough() -> None:
    """A blind model is evidence; only no trace of a video at all is none."""
    run = make_run(
        {"original": "C" * 9, "black": "C" * 9},
        probabilities={"original": SAME, "black": OTHER},
    )
    require_judgeable(run, ("original", "black"))


def test_equal_letters_without_probabilities_are_judged() -> None:
    """A blind model answers the same letters; that is what we look for."""
    require_judgeable(
        make_run({"original": "C" * 9, "black": "C" * 9}), ("original", "black")
    )


def test_blindness_to_order_to_the_last_bit_is_evidence() -> None:
    """A model may pool its frames; that black frames move it shows it looked."""
    cells = {"original": "C" * 9, "shuffled": "C" * 9, "black": "W" * 9}
    moved = {"original": SAME, "shuffled": SAME, "black": OTHER}
    require_judgeable(make_run(cells, probabilities=moved), ("original", "shuffled"))
    del cells["black"]
    text = refusal(make_run(cells, probabilities=moved), "original", "shuffled")
    assert "add the condition 'black'" in " ".join(text.split())


def test_blindness_to_order_with_known_inputs_is_evidence() -> None:
    """Where the backend tells that other pixels went in, equal bits are real."""
    cells = {"original": "C" * 9, "shuffled": "C" * 9}
    run = make_run(cells, probabilities={"original": SAME, "shuffled": SAME})
    told = {
        key: replace(cell, input_digest=f"{key}", visual_tokens=4)
        for key, cell in run.cells.items()
    }
    require_judgeable(replace(run, cells=told), ("original", "shuffled"))


@pytest.mark.parametrize(
    ("digests", "tokens", "known"),
    [
        (("one", "other"), 1, True),
        (("one", "other"), 0, False),
        (("one", "one"), 4, False),
        ((None, "other"), 4, False),
        (("one", None), 4, False),
    ],
)
def test_inputs_are_known_to_differ_only_where_they_were_seen_to(
    digests: tuple[str | None, str | None], tokens: int, known: bool
) -> None:
    """Equal bits are believed of other pixels that the model took in, and only then."""
    cells = {"original": "C" * 9, "shuffled": "C" * 9}
    run = make_run(cells, probabilities={"original": SAME, "shuffled": SAME})
    by_condition = dict(zip(cells, digests, strict=True))
    told = {
        (q, c): replace(cell, input_digest=by_condition[c], visual_tokens=tokens)
        for (q, c), cell in run.cells.items()
    }
    run = replace(run, cells=told)
    if known:
        require_judgeable(run, ("original", "shuffled"))
    else:
        assert "every reply and every probability" in refusal(
            run, "original", "shuffled"
        )


def test_the_original_is_what_black_frames_must_move() -> None:
    """That they moved another condition says nothing of the original's video."""
    run = make_run(
        dict.fromkeys(("shuffled", "original", "black"), "C" * 9),
        probabilities={"shuffled": OTHER, "original": SAME, "black": SAME},
    )
    text = refusal(run, "shuffled", "original")
    assert "is the same under original and black" in text.splitlines()[0]
    require_judgeable(run, ("shuffled",))


@pytest.mark.parametrize("silent", ["original", "black"])
def test_probabilities_of_one_side_only_are_no_equal_bits(silent: str) -> None:
    """Where one of the two was not recorded nothing is known to be the same."""
    run = make_run(
        {"original": "C" * 9, "black": "C" * 9},
        probabilities={"original": SAME, "black": SAME},
    )
    told = {
        key: replace(cell, probabilities=None) if key[1] == silent else cell
        for key, cell in run.cells.items()
    }
    require_judgeable(replace(run, cells=told), ("original", "black"))


def test_the_order_of_conditions_does_not_matter() -> None:
    """A marker may name black first; black is not compared with itself."""
    run = make_run(
        {"black": "W" * 9, "original": "C" * 9},
        probabilities={"original": SAME, "black": OTHER},
    )
    require_judgeable(run, ("black", "original"))
    require_judgeable(run, ("black",))


ALL_FAILED = make_run(
    {"original": "F" * 9, "black": "F" * 9, "shuffled": "F" * 9}, caps=NO_CAPS
)


@pytest.mark.parametrize(
    "claim",
    [
        lambda run: assert_vdg_above(run, -1),
        lambda run: assert_vdg_above(run, -1, evidence="estimate"),
        lambda run: assert_accuracy_above(run, 0),
        lambda run: assert_temporal_delta(run, -1),
        lambda run: assert_temporal_delta(run, baseline=run, margin=1),
        lambda run: assert_no_dissociation_regression(run, run, vdg_margin=1),
    ],
)
def test_all_failed_cannot_pass(claim: Callable[[Run], object]) -> None:
    """No floor and no margin is so low that a run without answers meets it."""
    with collect_findings() as found, pytest.raises(CouldNotBeJudged):
        claim(ALL_FAILED)
    assert found == []


def test_a_baseline_is_held_to_the_same_caps() -> None:
    """Losses in the baseline bias a change as much as losses now."""
    bad = make_run({"original": "C" * 54 + "F" * 6, "black": "C" * 60}, caps=NO_CAPS)
    good = make_run({"original": "C" * 60, "black": "W" * 60})
    with pytest.raises(CouldNotBeJudged, match="original cells failed") as caught:
        assert_no_dissociation_regression(good, bad)
    assert "baseline sight" in str(caught.value).splitlines()[0]


def test_runs_over_other_settings_are_not_compared() -> None:
    """The field that differs is named behind the words of the verdict."""
    cells = arms(both=9, treated_only=9)
    other = make_run(cells, comparable={"seed": "1"})
    with pytest.raises(NotComparable, match="COULD NOT BE JUDGED: ") as caught:
        assert_no_dissociation_regression(make_run(cells), other)
    assert "seed: 0, was 1" in str(caught.value)


def test_runs_over_other_questions_are_not_compared() -> None:
    """A changed question set is not a regression."""
    more = make_run(arms(both=9, treated_only=10))
    with pytest.raises(NotComparable, match="1 question is not in the baseline"):
        assert_temporal_delta(
            more, baseline=make_run(arms(both=9, treated_only=9)), against="shuffled"
        )


def test_runs_that_judged_no_question_in_common_are_refused() -> None:
    """Two halves that do not meet are no comparison."""
    first = make_run({"original": "CCFF", "black": "WWFF"}, caps=NO_CAPS)
    second = make_run({"original": "FFCC", "black": "FFWW"}, caps=NO_CAPS)
    with pytest.raises(CouldNotBeJudged, match="COULD NOT BE JUDGED: no question"):
        assert_no_dissociation_regression(first, second)


def test_stored_replies_are_not_to_be_asked_again() -> None:
    """Of a run made of logs the advice is to look at them, or at the caps."""
    cells = {"original": "C" * 50 + "U" * 50, "black": "C" * 50 + "U" * 50}
    asked = refusal(make_run(cells), "original", "black")
    assert "run again" in asked
    logs = make_run(cells, comparable={"source": "imported logs"})
    told = " ".join(refusal(logs, "original", "black").split())
    assert "run again" not in told
    assert "vdg parse-check LOG" in told
    assert "'caps' in vdg.yaml" in told
