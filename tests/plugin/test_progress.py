"""The progress line: on a terminal, for long work, and gone afterwards."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from pytest_vdg.engine.progress import Progress
from pytest_vdg.sessions.progress import ProgressLine, progress_text
from tests.plugin.conftest import INSTALLED, Project


class Paper:
    """A screen that keeps what was shown."""

    def __init__(self) -> None:
        """Start blank."""
        self.shown: list[str] = []

    def show(self, text: str) -> None:
        """Keep *text*."""
        self.shown.append(text)


def progress(done: int, *, seconds: float, cached: int = 0, known: int = 0) -> Progress:
    """Return the state of a run of 672 cells, of which the store knows *known* more.

    The rest was asked at one pace.
    """
    return Progress(
        done=done,
        total=672,
        cached=cached,
        failed=0,
        seconds=seconds,
        to_ask=672 - done - known,
        rate=(done - cached) / seconds,
    )


def test_the_line_tells_rate_and_time_left() -> None:
    """312 of 672 cells in 8 s are 39 a second, and 9 s remain."""
    # (672 - 312) / (312 / 8) = 9.2
    text = progress_text("sight", progress(312, seconds=8))
    assert text == "vdg: sight 312/672 cells, 39 cells/s, 9 s left"


def test_cells_from_the_store_do_not_count_in_the_rate() -> None:
    """Else a resumed run would promise an end that does not come."""
    # 112 asked in 8 s are 14 a second; (672 - 312) / 14 = 25.7
    text = progress_text("sight", progress(312, seconds=8, cached=200))
    assert text == "vdg: sight 312/672 cells, 14 cells/s, 26 s left"


def test_cells_that_the_store_will_answer_take_no_time() -> None:
    """What is left is what the model is still to be asked."""
    # 112 asked in 8 s are 14 a second; (672 - 312 - 220) / 14 = 10
    text = progress_text("sight", progress(312, seconds=8, cached=200, known=220))
    assert text == "vdg: sight 312/672 cells, 14 cells/s, 10 s left"


@pytest.mark.parametrize(("rate", "left"), [(0.5, "11 min"), (0.01, "9.3 h")])
def test_long_times_are_told_in_their_unit(rate: float, left: str) -> None:
    """Minutes above 100 s, hours above 100 minutes."""
    # (672 - 336) / 0.5 = 672 s = 11.2 min; 336 / 0.01 = 33600 s = 9.3 h
    text = progress_text("sight", progress(336, seconds=336 / rate))
    assert text.endswith(f"{left} left")


def test_short_work_is_not_told() -> None:
    """Nothing flickers for an evaluation of a second."""
    paper = Paper()
    line = ProgressLine(paper, clock=iter(range(100)).__next__)
    line("sight", progress(100, seconds=1.0))
    line("sight", progress(672, seconds=1.5))
    assert paper.shown == []


def test_the_line_is_told_now_and_then_and_cleared_at_the_end() -> None:
    """At most twice a second, whatever the number of cells."""
    paper = Paper()
    times = iter([0.0, 3.0, 3.1, 3.2, 3.6])
    line = ProgressLine(paper, clock=times.__next__)
    for done in (300, 301, 302, 303):
        line("sight", progress(done, seconds=3.0))
    line("sight", progress(672, seconds=6.0))
    assert [text.split(",")[0] for text in paper.shown] == [
        "vdg: sight 300/672 cells",
        "vdg: sight 303/672 cells",
        "",
    ]


def test_a_terminal_sees_it_below_the_capturing(project: Project) -> None:
    """On a real terminal it appears below the line of dots, which goes on after it."""
    project.pytester.makeconftest(
        "import pytest_vdg.sessions.progress as progress\n"
        "progress.QUIET_S = progress.EVERY_S = 0.0\n"
    )
    plugin = [] if INSTALLED else ["-p", "pytest_vdg.plugin"]
    command = [sys.executable, "-m", "pytest", *plugin, "--vdg-checkpoint=any"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command, "--vdg-backend=python:stub:sighted"],
        stdout=theirs,
        stderr=theirs,
        cwd=project.path,
        env={**os.environ, "COLUMNS": "80"},
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        pass  # how a terminal ends on Linux
    finally:
        os.close(ours)
    assert process.wait() == 0
    assert b"vdg: colours 24/48 cells" in seen
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", seen)
    dots = re.search(
        rb"\n(test_\w+\.py )\n(?:.|\r)*?\r\x1b\[K\x1b\[A\x1b\[(\d+)C(\.+ +\[100%\])",
        plain.replace(b"\r\n", b"\n"),
    )
    assert dots is not None
    line, column, rest = dots.groups()
    assert int(column) == len(line)
    assert len(line) + len(rest) <= 80


def test_a_log_file_is_not_littered(project: Project) -> None:
    """Without a terminal there is no progress line at all."""
    project.pytester.makeconftest(
        "import pytest_vdg.sessions.progress as progress\n"
        "progress.QUIET_S = progress.EVERY_S = 0.0\n"
    )
    result = project.with_model()
    assert "24/48 cells" not in result.stdout.str()
