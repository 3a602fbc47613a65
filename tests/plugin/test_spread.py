"""``--vdg-spread``: all workers ask, no cell twice, and nobody sees a difference."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from contextlib import closing

import pytest

from pytest_vdg import Run
from pytest_vdg.store.cells import CellStore
from tests.plugin.conftest import CLIPS, INSTALLED, Project, kept

CELLS = 72
"""24 questions under three conditions."""

SUITE = """
import pytest
from pathlib import Path
from pytest_vdg import assert_accuracy_above, assert_vdg_above, save_run

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

@pytest.mark.vdg(conditions=["original", "shuffled"])
def test_knows(vdg_run, vdg):
    assert_accuracy_above(vdg_run, 0.2)
    save_run(vdg.runs[0], Path("kept.jsonl"), full=True)

def test_other():
    pass
"""


@pytest.fixture
def spread(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project with three tests, two of them about a model.

    No worker goes on after its first question before all have asked one.
    """
    monkeypatch.setenv("VDG_TEST_MEET", "1")
    project.suite(SUITE)
    path = project.path / "data" / "questions.jsonl"
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for question in questions:
        question["question"] += f" In {question['video']}"
    path.write_text("".join(json.dumps(q) + "\n" for q in questions), "utf-8")
    return project


def asked(project: Project) -> Counter[str]:
    """Return how often each cell was asked."""
    return Counter(line.split()[1] for line in _lines(project))


def askers(project: Project) -> set[str]:
    """Return the workers that asked anything."""
    return {line.split()[0] for line in _lines(project)}


def _lines(project: Project) -> list[str]:
    path = project.path / "asked.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def answers(run: Run) -> dict[tuple[str, str], tuple[object, ...]]:
    """Return what was answered to each cell, without what it cost."""
    return {
        key: (cell.outcome, cell.choice, cell.probabilities, cell.cached)
        for key, cell in run.cells.items()
    }


def test_any_number_of_workers_makes_the_same_run(
    spread: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Verdicts and cells are equal with 0, 2 and 3 workers, each cell asked once."""
    seen = []
    for workers in ("0", "2", "3"):
        cache = tmp_path_factory.mktemp("cache")
        for path in (*spread.path.glob("here-*"), *spread.path.glob("asked.txt")):
            path.unlink()
        options = "-n", workers, "--vdg-spread", f"--vdg-cache-dir={cache}"
        result = spread.with_model(*options, "--junitxml=out.xml", backend="counted")
        result.assert_outcomes(passed=3)
        assert set(asked(spread).values()) == {1}
        assert len(asked(spread)) == CELLS
        assert len(askers(spread)) == max(1, int(workers))
        seen.append((answers(kept(spread)), spread.properties()))
    assert seen[0] == seen[1] == seen[2]


def test_cells_asked_together_are_shared_too(spread: Project) -> None:
    """A backend that takes many at a time gets windows of its worker's videos."""
    result = spread.with_model("-n", "2", "--vdg-spread", backend="counted_together")
    result.assert_outcomes(passed=3)
    assert set(asked(spread).values()) == {1}
    assert len(asked(spread)) == CELLS
    assert len(askers(spread)) == 2


def test_each_video_is_one_workers(spread: Project) -> None:
    """All cells of a video meet in one process, so that its prompt is shared."""
    spread.with_model("-n", "2", "--vdg-spread", backend="counted")
    owners: dict[str, set[str]] = {}
    for line in _lines(spread):
        worker, _, video = line.split()
        owners.setdefault(video, set()).add(worker)
    assert len(owners) == CLIPS
    assert all(len(workers) == 1 for workers in owners.values())


def test_answers_of_a_job_are_told_as_asked_and_later_as_cached(
    spread: Project,
) -> None:
    """What another worker answered a minute ago is not from the cache."""
    options = "-n", "2", "--vdg-spread"
    first = spread.with_model(*options, backend="counted")
    assert "from cache" not in first.stdout.str()
    again = spread.with_model(*options, backend="counted")
    again.stdout.fnmatch_lines([f"vdg: {CELLS} of {CELLS} cells from cache"])
    assert len(_lines(spread)) == CELLS


def test_a_failed_cell_is_not_asked_again_by_the_next_worker(spread: Project) -> None:
    """Failures are handed on within the job, though no store keeps them."""
    spread.config("caps: {failed: 1, failed_difference: 1}")
    result = spread.with_model(
        "-n", "2", "--vdg-spread", backend="fails_in_the_dark_counted"
    )
    assert "72 failed" not in result.stdout.str()
    assert set(asked(spread).values()) == {1}
    assert len(asked(spread)) == CELLS


@pytest.mark.parametrize("victim", ["gw0", "gw1"])
def test_a_worker_that_is_killed_while_asking_costs_the_cell_in_flight(
    spread: Project, monkeypatch: pytest.MonkeyPatch, victim: str
) -> None:
    """The others take over what it had taken, and no test is blamed for it."""
    monkeypatch.setenv("VDG_TEST_VICTIM", victim)
    result = spread.with_model("-n", "2", "--vdg-spread", backend="kills_a_worker")
    result.assert_outcomes(passed=3)
    assert (spread.path / "killed").exists()
    assert len(asked(spread)) == CELLS
    assert sorted(asked(spread).values())[-2:] == [1, 2]
    result.stdout.fnmatch_lines(["*node down*"])


def moments() -> list[tuple[int, str]]:
    """Return after how many cells to kill, and how many workers go on.

    Three in the suite; ``VDG_TEST_KILLS=50`` draws as many more.
    """
    draw = random.Random(0)
    more = range(int(os.environ.get("VDG_TEST_KILLS", "0")))
    drawn = [(draw.randrange(1, CELLS), str(1 + i % 3)) for i in more]
    return [(2, "3"), (31, "2"), (69, "1"), *drawn]


@pytest.mark.parametrize(("moment", "workers"), moments())
def test_a_session_that_is_killed_goes_on_at_any_worker_count(
    spread: Project, monkeypatch: pytest.MonkeyPatch, moment: int, workers: str
) -> None:
    """All processes die at once; only the cells in flight are asked again."""
    monkeypatch.setenv("VDG_TEST_MOMENT", str(moment))
    monkeypatch.delenv("VDG_TEST_MEET")
    options = ["--vdg-checkpoint=any", "--vdg-backend=python:stub:kills_all"]
    options += ["--vdg-spread", *([] if INSTALLED else ["-p", "pytest_vdg.plugin"])]
    command = [sys.executable, "-m", "pytest", *options]
    first = subprocess.run(
        [*command, "-n", "2"],
        cwd=spread.path,
        start_new_session=True,  # so that it kills no one else
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert first.returncode < 0
    assert len(_lines(spread)) >= moment
    with closing(CellStore(spread.path / ".vdg")) as store:
        assert store.count() >= moment - 2
    result = spread.with_model("-n", workers, "--vdg-spread", backend="kills_all")
    result.assert_outcomes(passed=3)
    assert len(asked(spread)) == CELLS
    assert len(_lines(spread)) <= CELLS + 2
    assert set(answers(kept(spread))) == {
        (q.id, c) for q in kept(spread).questions for c in kept(spread).conditions
    }


def test_a_distribution_of_ones_own_is_shared_as_well(spread: Project) -> None:
    """With ``--dist`` each worker may judge; still no cell is asked twice."""
    result = spread.with_model(
        "-n", "2", "--dist", "load", "--vdg-spread", backend="counted"
    )
    result.assert_outcomes(passed=3)
    assert set(asked(spread).values()) == {1}


@pytest.mark.parametrize(
    ("say", "value"), [("env", "1"), ("yaml", "true"), ("ini", "true")]
)
def test_every_voice_can_say_it(
    spread: Project, monkeypatch: pytest.MonkeyPatch, say: str, value: str
) -> None:
    """Environment, file and ini are twins of the option."""
    if say == "env":
        monkeypatch.setenv("VDG_SPREAD", value)
    elif say == "yaml":
        spread.config(f"spread: {value}")
    else:
        spread.pytester.makeini(f"[pytest]\nvdg_spread = {value}\n")
    spread.with_model("-n", "2", backend="counted").assert_outcomes(passed=3)
    assert len(askers(spread)) == 2


def test_without_a_store_it_is_a_usage_error(spread: Project) -> None:
    """Workers could not hand each other anything; no model is loaded."""
    result = spread.with_model("-n", "2", "--vdg-spread", "--vdg-no-cache")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--vdg-spread and --vdg-no-cache: workers hand" in _all(result)
    assert spread.loaded() == []


GPUS = """
from pytest_vdg.backends import _hf_machine
_hf_machine.cuda_devices = lambda: 2
"""


def test_more_workers_than_gpus_is_a_usage_error_unless_forced(
    spread: Project,
) -> None:
    """The message says both ways out; the second of them works."""
    spread.pytester.makeconftest(GPUS)
    model = spread.path / "model"
    model.mkdir()
    options = f"--vdg-checkpoint={model}", "-n", "3"
    result = spread.run(*options, "--vdg-spread", subprocess=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "3 workers would load the model on 2 GPUs. Use -n 2" in _all(result)
    result = spread.run(*options, "--vdg-spread=force", subprocess=True)
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # there is no such model
    assert "would load the model" not in _all(result)


def test_alone_it_changes_nothing(spread: Project) -> None:
    """Without workers there is no one to share with."""
    result = spread.with_model("--vdg-spread", "--vdg-no-cache", backend="counted")
    result.assert_outcomes(passed=3)
    assert askers(spread) == {"alone"}


def _all(result: pytest.RunResult) -> str:
    return result.stdout.str() + result.stderr.str()
