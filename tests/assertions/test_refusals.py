"""What no claim may do: pass on nothing, crash on little, or forget a policy.

Apart from the tests of each claim because the rules are the same for all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress

import pytest

from pytest_vdg import assertions
from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import Caps, Run
from pytest_vdg.verdicts import Finding, Verdict, collect_findings
from tests.assertions.build import NO_CAPS, make_run

CONDITIONS = (
    "original",
    "shuffled",
    "reversed",
    "single_frame",
    "black",
    "text_only",
)
Claim = Callable[..., Finding]

CLAIMS: dict[str, Claim] = {
    "assert_accuracy_above": lambda r, **k: assertions.assert_accuracy_above(
        r, 0.5, **k
    ),
    "assert_accuracy_above_blind": lambda r, **k: (
        assertions.assert_accuracy_above_blind(r, 0.2, **k)
    ),
    "assert_balanced_key": assertions.assert_balanced_key,
    "assert_blind_gap_below": lambda r, **k: assertions.assert_blind_gap_below(
        r, 0.5, **k
    ),
    "assert_coverage": assertions.assert_coverage,
    "assert_destructive_ratio_below": lambda r, **k: (
        assertions.assert_destructive_ratio_below(r, 2, against="shuffled", **k)
    ),
    "assert_diversity_delta": lambda r, **k: assertions.assert_diversity_delta(
        r, 0.1, **k
    ),
    "assert_equivalent": lambda r, **k: assertions.assert_equivalent(r, r, **k),
    "assert_ladder_monotone": assertions.assert_ladder_monotone,
    "assert_needs_order": lambda r, **k: assertions.assert_needs_order(r, 0.5, **k),
    "assert_no_dissociation_regression": lambda r, **k: (
        assertions.assert_no_dissociation_regression(r, r, **k)
    ),
    "assert_no_position_bias": assertions.assert_no_position_bias,
    "assert_spatial_delta": lambda r, **k: assertions.assert_spatial_delta(r, 0.1, **k),
    "assert_stable_under": lambda r, **k: assertions.assert_stable_under(
        r, "shuffled", 0.5, **k
    ),
    "assert_temporal_delta": lambda r, **k: assertions.assert_temporal_delta(
        r, 0.1, **k
    ),
    "assert_vdg_above": lambda r, **k: assertions.assert_vdg_above(r, 0.1, **k),
    "assert_visual_gain_above": lambda r, **k: assertions.assert_visual_gain_above(
        r, 0.1, **k
    ),
}
NO_CAPS_ASKED = {"assert_coverage"}
NO_MISSING = {"assert_balanced_key", "assert_coverage", "assert_no_position_bias"}
"""Claims that are about the cells themselves, or the key."""
NO_CELLS = {"assert_balanced_key"}
"""Claims about questions, whatever was answered."""
ONE_CONDITION = {
    "assert_accuracy_above",
    "assert_blind_gap_below",
    "assert_equivalent",
    "assert_no_position_bias",
}

every_claim = pytest.mark.parametrize("name", sorted(CLAIMS))
of_answers = pytest.mark.parametrize("name", sorted(CLAIMS.keys() - NO_CELLS))


def a_run(letters: dict[str, str] | str, *, caps: Caps | None = None) -> Run:
    """Return a run of all conditions, given for each or for all alike."""
    cells = dict.fromkeys(CONDITIONS, letters) if isinstance(letters, str) else letters
    return make_run(cells, tasks=("count", "order"), caps=caps)


def climbing(of: int = 60) -> dict[str, str]:
    """Return cells in which every step of the ladder is worth a fifth."""
    right = {
        "original": 5,
        "shuffled": 4,
        "reversed": 4,
        "single_frame": 3,
        "black": 2,
        "text_only": 2,
    }
    part = of // 6
    return {c: "C" * (n * part) + "W" * (of - n * part) for c, n in right.items()}


def judged(name: str, run: Run, **options: object) -> list[Finding]:
    """Return what claim *name* published, however it ended."""
    refused = suppress(ClaimFailed, CouldNotBeJudged)
    with collect_findings() as found, refused:
        CLAIMS[name](run, **options)
    return found


def test_every_public_claim_is_here() -> None:
    """A new assertion that is not held to these rules is noticed."""
    assert sorted(CLAIMS) == [n for n in assertions.__all__ if n.startswith("assert_")]


@every_claim
def test_the_same_idea_has_the_same_name(name: str) -> None:
    """Shared arguments have one name, kind, default and order."""
    parameters = inspect.signature(getattr(assertions, name)).parameters
    shared = ["task", "per_task", "missing", "confidence", "evidence"]
    if name in NO_MISSING:
        shared.remove("missing")
    present = [p for p in parameters if p in shared]
    assert present == [p for p in shared if p in parameters]
    assert next(iter(parameters)) == "run"
    for argument, default in (
        ("task", None),
        ("per_task", False),
        ("confidence", 0.95),
    ):
        assert parameters[argument].default == default
        assert parameters[argument].kind is inspect.Parameter.KEYWORD_ONLY
    if name not in NO_MISSING:
        assert parameters["missing"].default == "drop"


BOUNDS = ("floor", "ceiling", "margin", "accuracy_margin", "vdg_margin")
RATIO = ("assert_destructive_ratio_below", "ceiling")
"""The one bound that is no fraction."""


def bounds_of(name: str) -> list[str]:
    """Return which arguments of a claim are bounds, as fractions."""
    parameters = inspect.signature(getattr(assertions, name)).parameters
    return [b for b in BOUNDS if b in parameters and (name, b) != RATIO]


@pytest.mark.parametrize("value", [1.01, 10, -1.01, float("nan"), "0.1", True])
@pytest.mark.parametrize(
    ("name", "bound"), [(name, b) for name in sorted(CLAIMS) for b in bounds_of(name)]
)
def test_no_bound_is_given_in_percent(name: str, bound: str, value: object) -> None:
    """What is no fraction is refused by name, and never computed with."""
    run = a_run(climbing())
    known = {"baseline": run, "condition": "shuffled", "against": "shuffled"}
    parameters = inspect.signature(getattr(assertions, name)).parameters
    needed = {
        p: known.get(p, 0.1)
        for p, about in parameters.items()
        if about.default is inspect.Parameter.empty and p != "run"
    }
    if bound == "margin" and "baseline" in parameters:
        needed["baseline"] = run
    with pytest.raises((TypeError, ValueError), match=rf"^{bound} must"):
        getattr(assertions, name)(run, **{**needed, bound: value})


@every_claim
def test_its_docstring_tells_how_it_decides(name: str) -> None:
    """Arguments, errors and a decision table, or whose it is."""
    doc = inspect.getdoc(getattr(assertions, name)) or ""
    for heading in ("Parameters", "Returns", "Raises"):
        assert f"\n{heading}\n---" in doc
    assert "\n====" in doc or "decision table is that of" in doc
    for argument in inspect.signature(getattr(assertions, name)).parameters:
        assert (
            f"\n{argument} : " in doc
            or f"{argument}, " in doc
            or (f", {argument} : " in doc)
        )


@every_claim
def test_an_empty_slice_is_refused(name: str) -> None:
    """Nothing is learnt from no question."""
    with pytest.raises(CouldNotBeJudged, match="holds no question"):
        CLAIMS[name](a_run(""))


@of_answers
def test_a_run_without_replies_is_refused(name: str) -> None:
    """All failed is never a pass, with whatever policy."""
    run = a_run("F" * 12, caps=NO_CAPS)
    options = [{}] if name in NO_MISSING else [{}, {"missing": "wrong"}]
    for option in options:
        with pytest.raises(CouldNotBeJudged, match="no question of"):
            CLAIMS[name](run, **option)


@of_answers
def test_a_condition_that_was_not_run_is_refused(name: str) -> None:
    """It is named, and not read as wrong."""
    if name == "assert_coverage":
        pytest.skip("is about the conditions that were run")
    with pytest.raises(CouldNotBeJudged, match=r"was not run|no blind condition"):
        CLAIMS[name](make_run({"reversed": "CW" * 6}))


@of_answers
def test_too_many_failed_cells_are_refused(name: str) -> None:
    """The caps hold under both policies; coverage is what tells of them."""
    cells = {c: "F" * 6 + letters[6:] for c, letters in climbing().items()}
    if name in NO_CAPS_ASKED:
        assert judged(name, a_run(cells))[0].verdict is Verdict.BELOW_FLOOR
        return
    options = [{}] if name in NO_MISSING else [{}, {"missing": "wrong"}]
    for option in options:
        with pytest.raises(CouldNotBeJudged, match="cells failed"):
            CLAIMS[name](a_run(cells), **option)


@of_answers
def test_replies_that_nothing_changes_are_refused(name: str) -> None:
    """Equal to the last bit under every condition: the video did not arrive."""
    same = [{"A": 0.7, "B": 0.3}] * 12
    run = make_run(
        dict.fromkeys(CONDITIONS, "CW" * 6),
        probabilities=dict.fromkeys(CONDITIONS, same),
    )
    if name == "assert_blind_gap_below":
        assert judged(name, run)  # nothing was shown under this condition anyway
        return
    with pytest.raises(CouldNotBeJudged, match="every reply and every probability"):
        CLAIMS[name](run)


@every_claim
def test_each_task_is_published(name: str) -> None:
    """The per-task form works for every claim, with a finding a task."""
    run = a_run(climbing(of=240))
    found = judged(name, run, per_task=True)
    assert {f.task for f in found} == {"count", "order"}
    assert {f.n for f in found} == {120}
    assert {f.claim for f in found} == {name}


@every_claim
def test_the_message_is_plain_and_whole(name: str) -> None:
    """ASCII, no NaN; verdict and number first, then evidence and what to do."""
    for finding in judged(name, a_run(climbing(of=120))):
        text = finding.message
        assert text.isascii()
        assert "nan" not in text.lower().replace("dominan", "")
        assert text.startswith(str(finding.verdict))
        assert f"n={finding.n} questions" in finding.summary
        for label in ("claim", "decided", "power", "next"):
            assert f"\n  {label:<10}" in text
        assert finding.low <= finding.estimate <= finding.high
        assert finding.low < finding.high
        assert len(max(text.splitlines()[1:], key=len)) <= 100


@every_claim
def test_the_policy_for_missing_answers_is_said(name: str) -> None:
    """Counting failed cells as wrong changes n, and stands in the first line."""
    if name in NO_MISSING:
        pytest.skip("is about the cells themselves")
    cells = climbing(of=240)
    cells = {c: "F" + letters[1:] for c, letters in cells.items()}
    run = a_run(cells, caps=NO_CAPS)
    (dropped,) = judged(name, run)
    (wrong,) = judged(name, run, missing="wrong")
    assert (dropped.n, wrong.n) == (239, 240)
    assert "failed counted wrong" in wrong.summary
    assert "failed counted wrong" not in dropped.message
    with pytest.raises(ValueError, match="missing must be one of drop, wrong"):
        CLAIMS[name](run, missing="wrogn")


@every_claim
def test_few_questions_are_undecided(name: str) -> None:
    """Six questions settle nothing (two for claims of what is extreme)."""
    cells = climbing(of=6)
    extra = {}
    if "evidence" in inspect.signature(getattr(assertions, name)).parameters:
        extra = {"evidence": "bound"}
    run = a_run(cells)
    if name == "assert_blind_gap_below":
        run = a_run(dict.fromkeys(CONDITIONS, "CCCWWW"))
    (finding,) = judged(name, run, **extra)
    assert finding.verdict in {Verdict.INCONCLUSIVE, Verdict.COULD_NOT_BE_JUDGED}


@every_claim
def test_order_of_questions_changes_nothing(name: str) -> None:
    """The same answers in another order are the same finding."""
    cells = climbing(of=120)
    run = make_run(cells, tasks=("count", "order"), per_video=2)
    order = [*range(1, 120, 2), *range(0, 120, 2)]
    moved = make_run(cells, tasks=("count", "order"), per_video=2, order=order)
    one, other = judged(name, run), judged(name, moved)
    assert [f.estimate for f in one] == [f.estimate for f in other]
    assert [f.verdict for f in one] == [f.verdict for f in other]
    assert [f.low for f in one] == pytest.approx([f.low for f in other])
