"""Stored runs in place of a model: what a part of one still says of itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg._commands._arguments import Where, settings_of
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.replay import Replay
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import make_run

PLANNED = {"whole": 2, "cut": 7}


@pytest.mark.parametrize(
    ("tasks", "planned"),
    [(None, PLANNED), (("whole",), None), (("cut",), {"cut": 7})],
)
def test_a_task_of_a_run_that_ran_out_of_time_says_if_it_is_whole(
    tmp_path: Path, tasks: tuple[str, ...] | None, planned: dict[str, int] | None
) -> None:
    """Two of two and two of seven questions were asked: only the latter is a part."""
    run = make_run({"original": "CWCW"}, tasks=("whole", "cut"))
    save_run(replace(run, planned=PLANNED), tmp_path / "run.jsonl", full=True)
    settings = settings_of(Where(replay=str(tmp_path)))  # type: ignore[arg-type]
    found = Replay(settings).run(Ask(slice="sight", tasks=tasks), ("original",))
    assert {q.task for q in found.questions} == set(tasks or PLANNED)
    assert found.planned == planned
