"""One line that tells how far a long evaluation is, on a terminal only.

Apart from the session because only this side knows whether anyone watches:
nothing is written to a log file, under xdist, or with ``-q``.
"""

from __future__ import annotations

import sys

import pytest

from pytest_vdg.sessions.progress import ProgressLine

_CLEAR, _UP, _RIGHT = "\r\x1b[K", "\x1b[A", "\x1b[{}C"
"""What a terminal does: empty the line; go up one; go right by so many columns."""


class _Terminal:
    """The terminal below pytest's capturing, and the line below pytest's own.

    Written past pytest's reporter, which counts the columns of its line of dots:
    it would take this text for a part of that line, and end it in the wrong place.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._shown = False

    def show(self, text: str) -> None:
        """Replace the line by *text*, or clear it."""
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is None:
            self._write(text)
            return
        with capture.global_and_fixture_disabled():
            self._write(text)

    def _write(self, text: str) -> None:
        writer = self._config.get_terminal_writer()
        if text:
            start = _CLEAR if self._shown else "\n"
            sys.stdout.write(f"{start}{text[: writer.fullwidth - 1]}")
        elif self._shown:
            column = writer.width_of_current_line % writer.fullwidth
            sys.stdout.write(f"{_CLEAR}{_UP}{_RIGHT.format(column) if column else ''}")
        sys.stdout.flush()
        self._shown = bool(text)


def progress_line(config: pytest.Config) -> ProgressLine | None:
    """Return what shows progress, or None where no one would see it."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return None
    if not reporter.isatty or config.get_verbosity() < 0:
        return None
    return ProgressLine(_Terminal(config))
