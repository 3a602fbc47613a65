"""Filters on panels computed by hand, and who may judge them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.audits.filters import (
    By,
    comparison,
    filtered,
    judged,
    sweeps,
)
from pytest_vdg.audits.panel import Member
from pytest_vdg.errors import CouldNotBeJudged
from tests.audits.panels import EVEN, SURE, member, panel, text_model, video_model
from tests.audits.test_shortcut import T1, T2, V1, V2

JUDGE = member("judge", {"original": "CCW", "text_only": "CWW"})


@pytest.mark.parametrize(
    ("by", "tau", "kept"),
    [
        # S is 0, .625, 0, see test_shortcut.
        ("shortcut", 0.1, (True, False, True)),
        ("shortcut", 0.625, (True, True, True)),
        ("shortcut", -0.1, (False, False, False)),
        # Text models right: q0 by t1, q1 by t1, q2 by t2: none by more than one.
        ("inspector", 0.1, (True, True, True)),
        # Video models blindly right: v1 on q1; v2 ties throughout.
        ("bclean", 0.1, (True, False, True)),
    ],
)
def test_rules_by_hand(by: By, tau: float, kept: tuple[bool, ...]) -> None:
    """Each rule keeps what its definition says."""
    found = filtered(panel(V1, V2, T1, T2), by, tau=tau)
    assert tuple(found.keep) == kept
    assert found.kept == sum(kept)
    ids = ("q0000", "q0001", "q0002")
    assert found.removed == tuple(
        i for i, stay in zip(ids, kept, strict=True) if not stay
    )


def test_the_inspector_drops_what_two_answer() -> None:
    """One text model may be lucky, two are not."""
    both = text_model("t3", [SURE, EVEN, EVEN])
    found = filtered(panel(T1, both), "inspector")
    assert found.removed == ("q0000",)
    assert found.used == ("t1", "t3")


def test_one_text_model_is_no_inspector() -> None:
    """More than one of one never answers: nothing would ever be removed."""
    with pytest.raises(CouldNotBeJudged, match="takes two text models at least"):
        filtered(panel(V1, T1), "inspector")


def test_what_is_not_known_does_not_stay() -> None:
    """A failed blind cell leaves B-Clean without a ground to keep the question."""
    blind = member("v", {"original": "CCC", "text_only": "WFC"})
    found = filtered(panel(blind), "bclean")
    assert (found.kept, found.removed, found.unknown) == (1, ("q0002",), ("q0001",))


def test_the_judge_is_held_out() -> None:
    """It is no part of the scores, and measures what is left."""
    whole = panel(V1, T1, JUDGE)
    found = filtered(whole, "bclean", judge="judge")
    assert found.used == ("v1",)
    seen = judged(whole, found, "judge")
    assert seen is not None
    assert seen.n == 2  # q0 and q2
    assert seen.blind is not None
    assert seen.gain is not None
    assert (seen.blind.accuracy, seen.gain.estimate) == (0.5, 0.0)


def test_a_model_that_filtered_does_not_judge() -> None:
    """Neither under its name nor under another one."""
    twin = member(
        "twin", {"original": "CCW", "text_only": "WCW"}, weights="sha256:same"
    )
    heard = member("heard", {"text_only": "CCW"}, kind="text", weights="sha256:same")
    other = member("other", {"text_only": "CCW"}, kind="text")
    whole = panel(twin, heard, other)
    found = filtered(whole, "inspector", judge="twin")
    with pytest.raises(CouldNotBeJudged, match="one of the models that filtered"):
        judged(whole, found, "twin")
    own = filtered(panel(V1, T1), "shortcut")
    with pytest.raises(CouldNotBeJudged, match=r"'v1' cannot judge .* --judge MODEL"):
        judged(panel(V1, T1), own, "v1")


def test_a_sweep_refuses_scores_that_the_judge_took_part_in() -> None:
    """The law holds wherever scores come from."""
    whole = panel(V1, V2, T1)
    scores = filtered(whole).scores
    with pytest.raises(CouldNotBeJudged, match="cannot judge this filter"):
        sweeps(whole, "v2", scores=scores)
    with pytest.raises(CouldNotBeJudged, match="is a text model"):
        sweeps(panel(V1, T1, T2), "t2")


def test_the_table_has_a_row_for_each_rule() -> None:
    """As in Table 2: no filter first, and what cannot be made says why."""
    whole = panel(V1, T1, JUDGE)
    names = [(row.name, row.n) for row in comparison(whole, "judge")]
    assert names == [
        ("no filter", 3),
        ("LLM-Inspector", None),
        ("B-Clean", 2),
        ("S-score", 2),  # S is 0, 1.25, 0
    ]


@pytest.mark.parametrize("blind", ["FFF", "CWW"])
def test_a_judge_who_never_saw_the_video_has_no_sweep(blind: str) -> None:
    """There is no gain to sweep; what it measured without the video is shown."""
    failed = member("failed", {"original": "FFF", "text_only": blind})
    whole = panel(V1, V2, T1, T2, failed)
    with pytest.raises(CouldNotBeJudged, match="'failed' judged no question that has"):
        sweeps(whole, "failed")
    for row in comparison(whole, "failed"):
        if row.measures is not None:
            assert row.measures.gain is None
            assert (row.measures.blind is None) == (blind == "FFF")


def test_sweeps_by_hand() -> None:
    """T, -V and S each keep small values, judged by who is held out."""
    whole = panel(V1, T1, JUDGE)  # T 1, .25, 0; V 1, -1, 0; S 0, 1.25, 0
    found = {s.score: s for s in sweeps(whole, "judge", thresholds=[0.0, 0.5, 1.0])}
    assert [row.n for row in found["S"].rows] == [2, 2, 2]
    assert [row.n for row in found["T"].rows] == [1, 2, 3]
    assert [row.n for row in found["-V"].rows] == [2, 2, 3]
    first = found["S"].rows[0]  # q0 and q2: blind 1 of 2, video 1 of 2
    assert (first.blind_gap, first.visual_gain) == (0.25, 0.0)
    assert found["S"].full.n == 3
    assert found["S"].full.visual_gain == pytest.approx(1 / 3)


chances = st.sampled_from([SURE, EVEN, (0.0, 0.5, 0.25, 0.25), (0.1, 0.2, 0.3, 0.4)])
models = st.lists(st.tuples(chances, chances, chances), min_size=1, max_size=5)


@given(models, st.floats(-1, 1), st.floats(0, 1))
def test_a_higher_threshold_keeps_more(
    sample: list[tuple[tuple[float, ...], ...]], tau: float, more: float
) -> None:
    """What stays at tau stays above it."""
    text, seen, blind = (list(column) for column in zip(*sample, strict=True))
    both: tuple[Member, ...] = video_model("v", seen, blind), text_model("t", text)
    low = filtered(panel(*both), tau=tau)
    high = filtered(panel(*both), tau=tau + more)
    assert not (low.keep & ~high.keep).any()
    assert set(low.removed) | set(_kept(low, both)) == {
        q.id for q in both[0].run.questions
    }


def _kept(found: object, members: tuple[Member, ...]) -> list[str]:
    asked = members[0].run.questions
    keep = found.keep  # type: ignore[attr-defined]
    return [q.id for q, stay in zip(asked, keep, strict=True) if stay]
