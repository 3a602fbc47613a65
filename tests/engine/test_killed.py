"""Killed without warning and taken up again: no cell lost, none doubled.

A process that has everything imported makes one child after the other, each of
which evaluates the same slice with the same store; the child is killed at a
random moment, and the next one goes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    CLIPS,
    LADDER,
    SETTINGS,
    Many,
    model,
    question,
    slice_of,
)

ROOT = Path(__file__).parents[2]
MOMENTS = int(os.environ.get("VDG_TEST_KILLS", "10"))
"""How often each run is killed; set the variable for a longer trial."""
EACH = 40
"""Questions about each of the three videos."""
TOTAL = len(CLIPS) * EACH * len(LADDER)
WINDOW = 16
MOST = 160
"""Questions that one child answers; then it waits for whoever kills it, who may be
late: the first one must not come to the end of the run."""

CHILDREN = """
import itertools, os, random, signal, sys, time
from pathlib import Path
from dataclasses import replace
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import LADDER, SETTINGS, Many, look, model
from tests.engine.test_killed import MOST, WINDOW, asked_about

clips, folder, log, moments, kill, workers = sys.argv[1:]
how = replace(SETTINGS, window_cells=WINDOW, decode_workers=int(workers))
slice_ = asked_about(Path(clips))
chance = random.Random(int(moments))
calls = itertools.count()

def answer(prompt, clip):
    if next(calls) == MOST:
        signal.pause()
    os.write(notes, b".")
    time.sleep(0.001)
    return look(prompt, clip)

for moment in range(int(moments)):
    began, begin = os.pipe()
    child = os.fork()
    if child == 0:
        notes = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.close(began)
        os.write(begin, b"!")
        evaluate(slice_, Many(model(answer=answer)), LADDER, how,
                 store=CellStore(folder))
        os._exit(0)
    os.close(begin)
    os.read(began, 1)
    time.sleep(chance.uniform(0, 0.12))
    os.kill(child, int(kill))
    _, status = os.waitpid(child, 0)
    os.close(began)
    asked = Path(log).stat().st_size if Path(log).exists() else 0
    store = CellStore(folder)
    print(os.WTERMSIG(status), asked, store.count(), flush=True)
    store.close()
"""


def asked_about(clips: Path) -> Slice:
    """Return the slice of all questions about the clips."""
    return slice_of(
        clips,
        [question(f"{v}-{i}", v, "AB"[i % 2]) for v in CLIPS for i in range(EACH)],
    )


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_killed_many_times_is_the_run(
    clips: Path, tmp_path: Path, kill: signal.Signals, workers: int
) -> None:
    """At most a window is lost each time, and the verdict is the same."""
    folder, log = tmp_path / "answers", tmp_path / "asked"
    command = [sys.executable, "-c", CHILDREN, str(clips), str(folder), str(log)]
    printed = subprocess.run(
        [*command, str(MOMENTS), str(int(kill)), str(workers)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    ).stdout
    told = [tuple(map(int, line.split())) for line in printed.splitlines()]
    assert len(told) == MOMENTS
    assert any(died == kill and kept < TOTAL for died, _, kept in told)
    before_asked = before_kept = 0
    for _, asked, kept in told:
        # What was kept stays kept, and what was asked is kept but for a window.
        assert kept >= before_kept
        assert asked - before_asked - (kept - before_kept) <= WINDOW
        before_asked, before_kept = asked, kept
    rest = Many(model())
    store = CellStore(folder)
    how = replace(SETTINGS, window_cells=WINDOW)
    run = evaluate(asked_about(clips), rest, LADDER, how, store=store)
    assert sum(map(len, rest.windows)) == TOTAL - before_kept
    assert store.count() == TOTAL
    store.close()
    assert run == evaluate(asked_about(clips), model(), LADDER, SETTINGS)
