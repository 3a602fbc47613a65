"""The progress line of a command: on a terminal, beside what is printed.

Apart from the commands because standard output is for what they found: a file
or a pipe that takes it never sees this line.
"""

from __future__ import annotations

import sys

from pytest_vdg.sessions.progress import ProgressLine


class _StandardError:
    """A terminal that reads along where errors go."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the line by *text*, or clear it."""
        blank = " " * self._width
        sys.stderr.write(f"\r{blank}\r{text}")
        sys.stderr.flush()
        self._width = len(text)


def progress_line() -> ProgressLine | None:
    """Return what shows progress, or None where no one would see it."""
    return ProgressLine(_StandardError()) if sys.stderr.isatty() else None
