"""A session of one command: closed at its end, and what breaks in it told in words.

Apart from the commands so that none of them shows a traceback of a backend's own
code: that a model cannot be asked is an outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pytest_vdg._commands._progress import progress_line
from pytest_vdg.config.settings import Settings
from pytest_vdg.sessions.judging import broken_told
from pytest_vdg.sessions.session import VdgSession


@contextmanager
def asking(settings: Settings) -> Iterator[VdgSession]:
    """Give a session that asks as *settings* say.

    What it found out can be read afterwards, too. Raises `CouldNotBeJudged` in
    place of an exception that is none of ours.
    """
    with broken_told():
        session = VdgSession(settings, progress=progress_line())
        try:
            yield session
        finally:
            session.close()
