"""The VDG paper's published answers, imported, give the paper's numbers.

The files are those of github.com/JaeLee18/accuracy-without-grounding, commit
aa927ef (MIT). The numbers are the paper's ("Accuracy Without Grounding", 2026;
its tables are named); which of them come out of its answers, and how, is on the
page that ``tools/reproduce.py`` makes.
"""

from __future__ import annotations

import pytest

from pytest_vdg.assertions import assert_vdg_above
from pytest_vdg.errors import CouldNotBeJudged, StoreError
from pytest_vdg.logs.join import join
from pytest_vdg.logs.registry import read_log
from pytest_vdg.outcomes import pair, pair_answers
from pytest_vdg.runs import Caps, Run
from tests.realdata import real
from tests.test_reproduction import OVERALL, TABLE_1, TASKS

NO_CAPS = Caps(failed=1, failed_difference=1, unparsed=1, unparsed_difference=1)
FOLDER = "vdg_annotations"


def imported(*names: str, labels: str, caps: Caps = NO_CAPS) -> Run:
    """Return the run that published files make, or skip."""
    logs = [read_log(real(f"{FOLDER}/{name}")) for name in names]
    return join(
        {"": logs}, checkpoint=names[0], slice_name="s", labels=labels, caps=caps
    ).run


def video_mme(model: str, caps: Caps = NO_CAPS) -> Run:
    """Return a model's answers to 600 questions, original and black."""
    names = [f"full_study/{model}{arm}_results.json" for arm in ("", "_black")]
    return imported(*names, labels="ABCD", caps=caps)


def egoschema(model: str) -> Run:
    """Return a model's answers to the 500 public questions."""
    name = f"egoschema/{model}_egoschema_results.json"
    return imported(name, labels="ABCDE")


@pytest.mark.parametrize("model", TABLE_1)
def test_table_1_comes_out_of_the_imported_answers(model: str) -> None:
    """Gained, lost and n of every task and overall, and the printed gap."""
    run = video_mme(model)
    for task, (gained, lost, n, gap, _) in zip(TASKS, TABLE_1[model], strict=True):
        found = pair(run, control="black", task=task)
        assert (found.treated_only, found.control_only, found.n) == (gained, lost, n)
        assert found.differences.mean() == pytest.approx(gap, abs=5e-4)
    gained, lost, n, gap, _ = OVERALL[model]
    found = pair(run, control="black")
    assert (found.treated_only, found.control_only, found.n) == (gained, lost, n)
    assert found.differences.mean() == pytest.approx(gap, abs=5e-5)


@pytest.mark.parametrize(
    ("model", "original", "black", "gained", "lost"),
    [
        # Tables 4 and S6: accuracies, and D:C 8.3, 12.8 and 8.8.
        ("qwen2vl", 0.568, 0.304, 150, 18),
        ("llava", 0.514, 0.206, 167, 13),
        ("internvl2", 0.600, 0.318, 159, 18),
    ],
)
def test_egoschema_comes_out_of_the_imported_answers(
    model: str, original: float, black: float, gained: int, lost: int
) -> None:
    """Both accuracies of 500 questions, and the questions gained and lost."""
    run = egoschema(model)
    assert [run.counts(c).accuracy for c in ("original", "black")] == [original, black]
    found = pair(run, control="black")
    assert (found.treated_only, found.control_only, found.n) == (gained, lost, 500)
    assert run.chance() == pytest.approx(0.2)


def test_two_imported_models_are_compared() -> None:
    """Table 2: 88 and 66 right by one only on original, 105 and 61 on black."""
    first, second = video_mme("qwen2vl"), video_mme("internvl2")
    original = pair_answers(first, second)
    assert (original.treated_only, original.control_only) == (88, 66)
    assert (original.both, original.neither, original.n) == (264, 129, 547)
    black = pair_answers(first, second, condition="black")
    # Black has an answer to all 600; the paper counts the 547 of both originals.
    common = black.kept(original.question_ids)
    assert (common.treated_only, common.control_only, common.n) == (105, 61, 547)


def test_failures_of_the_published_run_are_held_to_the_caps() -> None:
    """53 of 600 without an answer are no honest run, unless someone says so."""
    with pytest.raises(CouldNotBeJudged, match="of the original cells failed"):
        assert_vdg_above(video_mme("qwen2vl", Caps()), 0.1)
    assert assert_vdg_above(video_mme("qwen2vl"), 0.1).n == 547


def test_the_file_of_nul_bytes_is_named() -> None:
    """One published file is 78,268 NUL bytes."""
    path = real(f"{FOLDER}/full_study/llava_singleframe_results.json")
    with pytest.raises(StoreError, match="NUL bytes from byte 0 on") as caught:
        read_log(path)
    assert str(path) in str(caught.value)
