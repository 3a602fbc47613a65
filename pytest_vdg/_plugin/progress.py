"""One line that tells how far a long evaluation is, on a terminal only.

Apart from the session because only this side knows whether anyone watches:
nothing is written to a log file, under xdist, or with ``-q``.
"""

from __future__ import annotations

import pytest

from pytest_vdg.sessions.progress import ProgressLine


class _Terminal:
    """The terminal below pytest's capturing."""

    def __init__(
        self, config: pytest.Config, reporter: pytest.TerminalReporter
    ) -> None:
        self._config = config
        self._reporter = reporter
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the line by *text*, or clear it."""
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is None:
            self._write(text)
            return
        with capture.global_and_fixture_disabled():
            self._write(text)

    def _write(self, text: str) -> None:
        if not self._width:
            self._reporter.ensure_newline()
        blank = " " * self._width
        self._reporter.write(f"\r{blank}\r{text}", flush=True)
        self._width = len(text)


def progress_line(config: pytest.Config) -> ProgressLine | None:
    """Return what shows progress, or None where no one would see it."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return None
    if not reporter.isatty or config.get_verbosity() < 0:
        return None
    return ProgressLine(_Terminal(config, reporter))
