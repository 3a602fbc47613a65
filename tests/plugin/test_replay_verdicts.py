"""Verdicts on stored runs are those of the runs themselves, imported ones too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg import Run, cli, load_run, save_run
from tests.plugin.conftest import Project
from tests.plugin.test_replay import forget, kept

SUITE = """
import pytest
from pytest_vdg import (
    assert_accuracy_above,
    assert_blind_gap_below,
    assert_no_dissociation_regression,
    assert_vdg_above,
)

@pytest.mark.vdg(conditions=["original", "black"])
@pytest.mark.parametrize("floor", [-0.1, 0.2, 0.45, 0.9])
def test_floor(vdg_run, floor):
    assert_vdg_above(vdg_run, floor)

@pytest.mark.vdg(conditions=["original", "black"])
def test_per_task(vdg_run):
    assert_vdg_above(vdg_run, 0.3, per_task=True)

@pytest.mark.vdg(conditions=["original", "text_only"])
def test_blind(vdg_run):
    assert_blind_gap_below(vdg_run, 0.05)

@pytest.mark.vdg(tasks="shade", conditions=["original", "black"])
def test_task(vdg_run):
    assert_accuracy_above(vdg_run, 0.99)

def test_by_hand(vdg):
    run = vdg.evaluate("colours", conditions=["original", "black"])
    assert_vdg_above(run, 0.9)

@pytest.mark.vdg(conditions=["original", "black"])
def test_regression(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(
        vdg_run, vdg_baseline, accuracy_margin=0.2, vdg_margin=0.2
    )
"""


def verdicts(project: Project, result: pytest.RunResult) -> dict[str, tuple[str, str]]:
    """Return outcome and first line of each test of the last run."""
    assert "INTERNALERROR" not in result.stdout.str()
    found = {}
    for name, case in project.junit().items():
        ended = [c for c in case if c.tag in ("failure", "error", "skipped")]
        first = [c.attrib.get("message", "").splitlines()[0] for c in ended]
        found[name] = (ended[0].tag if ended else "passed", "".join(first))
    return found


@pytest.mark.parametrize("backend", ["sighted", "blind", "fails_in_the_dark"])
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_stored_run_gives_the_verdicts_of_the_run_itself(
    project: Project, backend: str, workers: tuple[str, ...]
) -> None:
    """Outcome and first line of every claim are the same, and no model is made."""
    project.suite(SUITE)
    project.with_model("--vdg-update-baseline")
    live = project.with_model("--junitxml=out.xml", backend=backend)
    expected = verdicts(project, live)
    assert len(expected) == 9
    assert {tag for tag, _ in expected.values()} & {"failure", "error"}
    kept(project, backend)
    forget(project)
    project.suite(SUITE)
    replayed = project.run("--vdg-replay=runs", "--junitxml=out.xml", *workers)
    assert verdicts(project, replayed) == expected
    assert project.loaded() == []


@pytest.mark.parametrize("backend", ["sighted", "blind"])
def test_an_imported_run_gives_the_verdicts_of_the_run_itself(
    project: Project, backend: str
) -> None:
    """Replies written to a table by another tool, and imported, are judged alike."""
    head, _, _ = SUITE.rpartition("@pytest")
    project.suite(head)
    live = project.with_model("--junitxml=out.xml", backend=backend)
    expected = verdicts(project, live)
    assert len(expected) == 8
    _import(project, load_run(kept(project, backend)))
    forget(project)
    project.suite(head)
    replayed = project.run("--vdg-replay=imported", "--junitxml=out.xml")
    assert verdicts(project, replayed) == expected


def _import(project: Project, run: Run, *left_out: str) -> Path:
    """Import the replies of *run* from a table without *left_out* columns."""
    table = project.path / "replies.jsonl"
    rows = [
        {
            "id": q.id,
            "task": q.task,
            "video": q.video,
            "options": dict(zip(q.labels, q.labels, strict=True)),
            "answer": q.answer,
            "condition": condition,
            "reply": run.cells[q.id, condition].reply,
        }
        for condition in run.conditions
        for q in run.questions
    ]
    rows = [{k: v for k, v in row.items() if k not in left_out} for row in rows]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    to = project.path / "imported" / "run.jsonl"
    named = ["--slice", "colours", "--checkpoint", run.checkpoint, "--to", str(to)]
    assert cli.main(["import", str(table), *named]) == 0
    return to


def test_an_imported_run_has_an_imported_baseline(project: Project) -> None:
    """It is compared with another import, and never with a run of ours."""
    recording = ("--vdg-update-baseline",)
    _, _, tail = SUITE.rpartition("@pytest")
    regression = SUITE[: SUITE.index("@pytest")] + "@pytest" + tail
    _import(project, load_run(kept(project)))
    project.suite(regression)
    project.with_model(*recording).assert_outcomes(passed=1)
    result = project.run("--vdg-replay=imported")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E   COULD NOT*", "E*source: imported logs, was None*"]
    )
    # Nobody touched the questions: a log only tells less of them.
    result.stdout.no_fnmatch_line("*changed their text*")
    project.run("--vdg-replay=imported", *recording).assert_outcomes(passed=1)
    _import(project, load_run(kept(project, "blind")))
    project.suite(regression)
    result = project.run("--vdg-replay=imported", "--junitxml=out.xml")
    result.assert_outcomes(failed=1)
    assert verdicts(project, result)["test_regression"][1].startswith("DISSOCIATION")


def test_unknown_videos_are_told_wherever_a_verdict_is(project: Project) -> None:
    """In the summary, in JUnit, and of a baseline that was recorded so."""
    _import(project, load_run(kept(project)), "video")
    forget(project)
    _, _, tail = SUITE.rpartition("@pytest")
    project.suite(SUITE[: SUITE.index("@pytest")] + "@pytest" + tail)
    for recording in (("--vdg-update-baseline",), ()):
        result = project.run("--vdg-replay=imported", "--junitxml=out.xml", *recording)
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(["vdg: videos of colours not named in the logs: *"])
        (properties,) = project.properties().values()
        assert properties["vdg.run.videos"].startswith("not named in the logs: each ")
        assert "questions, videos unknown)" in properties["vdg.message"]
        assert "  videos    not named in the logs: " in properties["vdg.message"]


def test_questions_without_a_row_are_counted_in_every_report(project: Project) -> None:
    """Of the benchmark's 24 the logs answer 23: in the summary and in JUnit."""
    run = load_run(kept(project))
    table = project.path / "replies.jsonl"
    rows = [
        {"id": q.id, "condition": c, "reply": run.cells[q.id, c].reply}
        for c in run.conditions
        for q in run.questions[1:]
    ]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    own = project.path / "data" / "questions.jsonl"
    named = ["--slice", "colours", "--checkpoint", "any", "--to", "imported/run.jsonl"]
    named += ["--benchmark", "plain", "--path", str(own)]
    assert cli.main(["import", str(table), *named]) == 0
    _, _, tail = SUITE.rpartition("@pytest")
    project.suite(SUITE[: SUITE.index("@pytest")] + "@pytest" + tail)
    for recording in (("--vdg-update-baseline",), ()):
        result = project.run("--vdg-replay=imported", "--junitxml=out.xml", *recording)
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(["vdg: *slices=colours:23/24", "*  23/24  *"])
        (properties,) = project.properties().values()
        numbers = ("vdg.n", "vdg.planned", "vdg.run.questions", "vdg.run.planned")
        assert [properties[name] for name in numbers] == ["23", "24", "23", "24"]
        assert "n=23 of 24 questions" in properties["vdg.message"]


def test_a_baseline_is_recorded_from_a_stored_run(project: Project) -> None:
    """Recording and comparing work as with a model, and lose no condition."""
    kept(project)
    head, _, tail = SUITE.partition("@pytest")
    project.suite(head + tail[tail.index("def test_by_") :])
    recording = ("--vdg-replay=runs", "--vdg-update-baseline")
    result = project.run(*recording)
    result.stdout.fnmatch_lines(["vdg: wrote *colours.jsonl (24 questions, original,*"])
    baseline = project.path / "vdg_baselines" / "colours.jsonl"
    assert load_run(baseline).conditions == ("original", "black")
    live = project.with_model("-k", "regression")
    live.assert_outcomes(passed=1, deselected=1)
    save_run(_with_fog(load_run(baseline)), baseline)
    result = project.run(*recording, "-k", "regression")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *would lose*foggy*"])


def _with_fog(run: Run) -> Run:
    """Return *run* with the black answers given again under a further condition."""
    black = {q.id: run.cells[q.id, "black"] for q in run.questions}
    fog = {(q, "foggy"): replace(cell, condition="foggy") for q, cell in black.items()}
    conditions = (*run.conditions, "foggy")
    return replace(run, conditions=conditions, cells={**run.cells, **fog})
