"""Levels of compression and rate: flat or not, and what a flat accuracy hides."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.reports.ablated import Ablation, Level
from pytest_vdg.reports.ablation import ablate
from pytest_vdg.reports.ablation_tables import level_tables
from pytest_vdg.runs import Caps, Run
from pytest_vdg.stats.holm import holm
from pytest_vdg.store.paper_answers import read_paper_answers
from tests.assertions.build import NO_CAPS, make_run
from tests.realdata import real


def letters(*, both: int, broken: int, mended: int, neither: int) -> tuple[str, str]:
    """Return the cells of the original and of a level."""
    return (
        "C" * (both + broken) + "W" * (mended + neither),
        "C" * both + "W" * broken + "C" * mended + "W" * neither,
    )


def flat_run(n: int = 600, flips: int = 12) -> Run:
    """Return a run of which *flips* answers break and as many mend, of *n*."""
    half = n // 2
    original, level = letters(
        both=half - flips, broken=flips, mended=flips, neither=n - half - flips
    )
    return make_run({"original": original, "compressed:38": level})


def only(found: Ablation) -> Level:
    """Return the one level of *found*."""
    (level,) = found.levels
    return level


# -- verdicts ----------------------------------------------------


def test_flips_that_cancel_are_flat_and_shown() -> None:
    """12 broken and 12 mended of 600: no change, 96 % stable, and the flips told."""
    found = ablate(flat_run())
    level = only(found)
    assert level.verdict == "FLAT"
    assert level.measured is not None
    flips = level.measured.flips
    assert (flips.correct_to_incorrect, flips.incorrect_to_correct) == (12, 12)
    assert flips.stable_share.estimate == pytest.approx(576 / 600)
    text = "\n".join(found.lines())
    assert "compressed:38 is flat, not unchanged: 24 of 600 answers flipped" in text
    assert "12 broken and 12 mended" in text


def test_a_loss_is_not_flat() -> None:
    """60 broken and none mended of 600 is a loss of ten points, beyond any margin."""
    original, level = letters(both=240, broken=60, mended=0, neither=300)
    found = only(ablate(make_run({"original": original, "compressed:51": level})))
    assert found.verdict == "NOT FLAT"
    assert "changed, by more than 0.03" in found.why


def test_a_gain_is_not_flat_either() -> None:
    """More frames that help by ten points are no flat curve."""
    original, level = letters(both=240, broken=0, mended=60, neither=300)
    found = only(ablate(make_run({"original": original, "fps:8": level})))
    assert found.verdict == "NOT FLAT"


def test_a_loss_in_a_few_videos_is_none_of_the_others() -> None:
    """40 broken of 600, all about four of 60 videos: p is tiny, the interval wide."""
    original, level = letters(both=280, broken=40, mended=0, neither=280)
    for swapped in (False, True):
        cells = (level, original) if swapped else (original, level)
        run = make_run(
            dict(zip(("original", "fps:8"), cells, strict=True)), per_video=10
        )
        found = only(ablate(run))
        assert found.measured is not None
        change = found.measured.flips.change
        assert found.measured.p_change < 1e-10
        assert abs(change.estimate) > 0.03
        assert change.low < 0 < change.high
        assert found.verdict == "INCONCLUSIVE"


def test_a_small_slice_is_neither() -> None:
    """Twenty questions without a single flip do not show 3 points."""
    found = only(ablate(make_run({"original": "CW" * 10, "compressed:38": "CW" * 10})))
    assert found.verdict == "INCONCLUSIVE"
    assert "neither shown to stay within 0.03" in found.why


def test_a_change_within_the_margin_is_not_called_a_change() -> None:
    """Twelve broken, none mended of 2,000: shown, and shown to be below 3 points."""
    original, level = letters(both=988, broken=12, mended=0, neither=1000)
    run = make_run({"original": original, "compressed:38": level})
    assert only(ablate(run)).verdict == "FLAT"
    assert only(ablate(run, margin=0.001)).verdict == "NOT FLAT"


def test_one_video_says_nothing_of_others() -> None:
    """However many questions it has."""
    run = make_run({"original": "C" * 500, "compressed:38": "C" * 500}, per_video=500)
    level = only(ablate(run))
    assert (level.verdict, level.why) == (
        "INCONCLUSIVE",
        "all questions share one video, which says nothing of other videos",
    )


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ("F" * 30 + "C" * 70, "30.0% of the cells of compressed:38 are failed"),
        ("U" * 30 + "C" * 70, "30.0% of the cells of compressed:38 are unparsed"),
        ("F" * 100, "no question"),
    ],
)
def test_what_is_missing_is_no_verdict(level: str, said: str) -> None:
    """The paper's action_antonym: 30 of 50 clips failed, and counted as wrong."""
    found = ablate(make_run({"original": "C" * 100, "compressed:38": level}))
    assert only(found).verdict == "COULD NOT BE JUDGED"
    assert said in only(found).why
    assert any("could not be judged" in line for line in found.lines())


def test_as_much_as_the_caps_allow_is_judged() -> None:
    """Two of 100 is 2 %, and not above it."""
    letters_ = "FF" + "C" * 98
    found = ablate(make_run({"original": "C" * 100, "compressed:38": letters_}))
    assert only(found).verdict != "COULD NOT BE JUDGED"
    assert only(found).excluded == 2
    tight = make_run(
        {"original": "C" * 100, "compressed:38": letters_},
        caps=Caps(failed_difference=0.01),
    )
    assert "2.0 points between the shares of failed" in only(ablate(tight)).why


def test_missing_can_be_counted_wrong() -> None:
    """As one of the paper's policies does: 30 failed are then 30 broken."""
    run = make_run(
        {"original": "C" * 100, "compressed:38": "F" * 30 + "C" * 70}, caps=NO_CAPS
    )
    dropped, wrong = only(ablate(run)), only(ablate(run, missing="wrong"))
    assert dropped.measured is not None
    assert wrong.measured is not None
    assert dropped.measured.flips.correct_to_incorrect == 0
    assert wrong.measured.flips.correct_to_incorrect == 30
    assert wrong.verdict == "NOT FLAT"


# -- families ----------------------------------------------------


def tasked(n: int = 400) -> Run:
    """Return a run of two tasks under three levels and black, seeded."""
    rng = random.Random(0)
    shown = {
        "original": "".join(rng.choice("CCW") for _ in range(n)),
        "black": "".join(rng.choice("CWW") for _ in range(n)),
    }
    for crf, rate in ((18, 0.01), (28, 0.05), (38, 0.2)):
        shown[f"compressed:{crf}"] = "".join(
            ("W" if c == "C" else "C") if rng.random() < rate else c
            for c in shown["original"]
        )
    return make_run(shown, tasks=("colour", "count"))


def test_levels_are_one_family_and_tasks_another() -> None:
    """Three tests over all tasks, six over the tasks, each after Holm."""
    found = ablate(tasked())
    assert [(v.condition, v.task) for v in found.levels] == [
        ("compressed:18", None),
        ("compressed:28", None),
        ("compressed:38", None),
    ]
    assert len(found.by_task) == 6
    for family in (found.levels, found.by_task):
        measured = [v.measured for v in family if v.measured]
        raw = {str(i): m.equivalence.pvalue for i, m in enumerate(measured)}
        assert [m.p_flat for m in measured] == list(holm(raw).values())
        raw = {str(i): m.flips.pvalue for i, m in enumerate(measured)}
        assert [m.p_change for m in measured] == list(holm(raw).values())


def test_what_cannot_be_judged_takes_no_part_in_holm() -> None:
    """A level whose cells failed makes no other level's p-value larger."""
    original, level = letters(both=280, broken=20, mended=20, neither=280)
    alone = make_run({"original": original, "compressed:38": level})
    failed = {"compressed:5": "F" * 300 + level[300:], "compressed:9": "F" * 600}
    beside = make_run({"original": original, "compressed:38": level} | failed)
    *unjudged, found = ablate(beside).levels
    assert {each.verdict for each in unjudged} == {"COULD NOT BE JUDGED"}
    assert found.measured == only(ablate(alone)).measured


def test_holm_can_take_a_verdict_back() -> None:
    """What is flat alone may be undecided among nineteen other levels."""
    original, level = letters(both=280, broken=20, mended=20, neither=280)
    one = make_run({"original": original, "compressed:38": level})
    assert only(ablate(one)).verdict == "FLAT"
    noisy = letters(both=200, broken=100, mended=100, neither=200)[1]
    others = {f"compressed:{crf}": noisy for crf in range(19)}
    many = make_run({"original": original, "compressed:38": level} | others)
    last = ablate(many).levels[-1]
    assert (last.condition, last.verdict) == ("compressed:38", "INCONCLUSIVE")


def test_one_task_is_not_shown_twice() -> None:
    """All tasks together are that task."""
    assert ablate(flat_run()).by_task == ()


def test_levels_are_in_their_order() -> None:
    """Compression by factor, then numbers of frames, then rates; not as asked."""
    specs = ["fps:10", "sampled:16", "compressed:38", "fps:0.5", "sampled:4"]
    run = make_run(dict.fromkeys(["original", *specs, "compressed:5", "black"], "CW"))
    assert [level.condition for level in ablate(run).levels] == [
        "compressed:5",
        "compressed:38",
        "sampled:4",
        "sampled:16",
        "fps:0.5",
        "fps:10",
    ]


def test_other_conditions_may_be_named() -> None:
    """Logs have levels of their own."""
    run = make_run({"original": "CW", "noise": "CW", "fps:2": "CW"})
    assert only(ablate(run, ["noise"])).condition == "noise"
    assert only(ablate(run, "fps:2")).condition == "fps:2"


def test_nothing_to_compare_is_said() -> None:
    """No level, no original, a level that is not there, the original as a level."""
    run = make_run({"original": "CW", "black": "CW"})
    with pytest.raises(CouldNotBeJudged, match="holds no level to compare"):
        ablate(run)
    with pytest.raises(CouldNotBeJudged, match="'compressed:28' was not run"):
        ablate(run, ["compressed:28"])
    with pytest.raises(CouldNotBeJudged, match="'original' was not run"):
        ablate(make_run({"compressed:28": "CW"}))
    for wrong in ([], ["original"]):
        with pytest.raises(ValueError, match="levels must be others"):
            ablate(run, wrong)
    for margin in (0.0, 1.0, float("nan")):
        with pytest.raises(ValueError, match="margin must lie between"):
            ablate(flat_run(), margin=margin)


# -- what flips, and which frames --------------------------------


def test_flips_are_held_against_the_need_for_video() -> None:
    """By hand: of 40 right with video only 8 break, of 40 right without it 2."""
    run = make_run(
        {
            "original": "C" * 80 + "W" * 20,
            "black": "W" * 40 + "C" * 40 + "W" * 20,
            "compressed:38": "W" * 8
            + "C" * 32
            + "W" * 2
            + "C" * 38
            + "C" * 5
            + "W" * 15,
        }
    )
    measured = only(ablate(run)).measured
    assert measured is not None
    found = measured.enrichment
    assert found is not None
    assert (found.flipped_share, found.stable_share) == (8 / 15, 32 / 85)
    assert found.odds_ratio == pytest.approx(8 * 53 / (7 * 32))
    among = measured.breaking
    assert among is not None
    assert (among.needing, among.others) == (8 / 40, 2 / 40)
    assert (among.n_needing, among.n_others) == (40, 40)
    assert among.odds_ratio == pytest.approx(8 * 38 / (2 * 32))


def test_without_black_no_question_is_known_to_need_the_video() -> None:
    """Nor with black cells that all failed, nor where nothing flips."""
    measured = only(ablate(flat_run())).measured
    assert measured is not None
    assert (measured.enrichment, measured.breaking) == (None, None)
    failed = {"original": "CW" * 9, "compressed:38": "CW" * 9, "black": "F" * 18}
    measured = only(ablate(make_run(failed))).measured
    assert measured is not None
    assert (measured.enrichment, measured.breaking) == (None, None)
    still = {"original": "CW" * 9, "compressed:38": "CW" * 9, "black": "W" * 18}
    measured = only(ablate(make_run(still))).measured
    assert measured is not None
    assert measured.enrichment is None


def with_times(run: Run, shown: dict[str, Sequence[int]]) -> Run:
    """Return *run* with so many frames recorded for each question."""
    cells = dict(run.cells)
    for condition, counts in shown.items():
        for asked, count in zip(run.questions, counts, strict=True):
            key = asked.id, condition
            cells[key] = replace(cells[key], times_s=tuple(map(float, range(count))))
    return replace(run, cells=cells)


def test_a_rate_that_showed_nothing_new_is_told() -> None:
    """Where max_frames or the video ends a level, no curve can be anything but flat."""
    run = make_run({"original": "CWCW", "fps:24": "CWCW"})
    run = with_times(run, {"original": (4, 4, 8, 8), "fps:24": (4, 8, 8, 9)})
    found = ablate(run)
    frames = only(found).frames
    assert frames is not None
    assert (frames.fewest, frames.median, frames.most) == (4, 8, 9)
    assert (frames.as_original, frames.n) == (2, 4)
    text = "\n".join(found.lines())
    assert "fps:24 showed the very frames of original in 2 of 4 questions" in text


def test_the_same_choice_everywhere_is_counted() -> None:
    """Of questions judged at all levels; two wrong answers may be two choices."""
    run = make_run(
        {
            "original": "CCWWC",
            "compressed:18": "CCWCC",
            "compressed:38": "CWWWF",
        },
        caps=NO_CAPS,
    )
    (agreement,) = ablate(run).agreement
    assert (agreement.share.successes, agreement.share.n) == (2, 4)


# -- as text and as JSON -----------------------------------------


def test_the_table_reads() -> None:
    """One line a level, aligned, ASCII, with all numbers of it."""
    lines = ablate(flat_run()).lines()
    assert lines[0].startswith(
        "ablation of new on slice sight, failed dropped; changes"
    )
    assert lines[1].split()[:4] == ["level", "n", "orig", "accuracy"]
    row = lines[2]
    for part in ("compressed:38", "600", ".500", "+0.0 [", "12", ".960 [", "FLAT"):
        assert part in row
    assert all(line.isascii() for line in lines)


def test_a_level_of_too_few_questions_shows_no_drop() -> None:
    """As text and as Markdown there is no drop of more than 100 points."""
    found = ablate(make_run({"original": "CCW", "compressed:38": "CWC"}, per_video=2))
    (level,) = found.levels
    assert level.measured is not None
    assert level.measured.smallest_detectable > 1
    assert " none " in found.lines()[2]
    (shown,) = level_tables(found)
    assert shown.rows[0][shown.heads.index("MDE")] == "none"


outcomes = st.text(alphabet="CWUFN", min_size=3, max_size=3)


@given(st.lists(outcomes, min_size=1, max_size=12), st.booleans())
def test_whatever_came_out_it_can_be_told(columns: list[str], two_tasks: bool) -> None:
    """No run makes a report fail, nor a number that JSON has not."""
    names = ("original", "compressed:28", "black")
    cells = dict(
        zip(names, ("".join(c) for c in zip(*columns, strict=True)), strict=True)
    )
    tasks = ("one", "two") if two_tasks and len(columns) > 1 else ("one",)
    found = ablate(make_run(cells, tasks=tasks))
    assert found.lines()
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(text)["levels"][0]["verdict"] == only(found).verdict


# -- the paper's answers -----------------------------------------


def paper(model: str) -> Run:
    """Return the published answers of *model* on Video-MME, failures as they are."""
    paths = [
        real(f"vdg_annotations/full_study/{model}{part}_results.json")
        for part in ("", "_black")
    ]
    return read_paper_answers(
        paths,
        checkpoint=model,
        slice_name="videomme",
        labels="ABCD",
        caps=NO_CAPS,
    ).run


def test_the_papers_agreement_between_levels_is_found() -> None:
    """OCR 94.0 % and Object Recognition 80.0 %, highest and lowest (section 4.4)."""
    found = {each.task: each.share for each in ablate(paper("qwen2vl")).agreement}
    assert found["OCR Problems"].estimate == pytest.approx(0.94, abs=0.005)
    assert found["Object Recognition"].estimate == pytest.approx(0.80, abs=0.005)
    by_task = {task: s.estimate for task, s in found.items() if task is not None}
    assert min(by_task, key=by_task.__getitem__) == "Object Recognition"


def test_the_papers_curves_are_flat_and_its_tasks_undecided() -> None:
    """Qwen2-VL at all five levels within 3 points; 100 questions a task show less."""
    found = ablate(paper("qwen2vl"))
    assert [level.verdict for level in found.levels] == ["FLAT"] * 5
    assert {level.verdict for level in found.by_task} == {"INCONCLUSIVE"}
    last = found.levels[-1].measured
    assert last is not None
    # Counted apart with collections.Counter over (original, crf38), both answered.
    assert (last.flips.correct_to_incorrect, last.flips.incorrect_to_correct) == (
        18,
        16,
    )


def test_the_papers_failures_are_no_verdict() -> None:
    """53 of 600 questions of Qwen2-VL have no answer, more than a cap allows."""
    run = replace(paper("qwen2vl"), caps=Caps())
    assert {level.verdict for level in ablate(run).levels} == {"COULD NOT BE JUDGED"}
