"""`run_levels`: one model under levels of compression or rate, and under none.

Apart from the session because a stored run brings the levels that it has: nobody
need name them again, and ``black``, which only says more, may be missing there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, CouldNotBeJudged
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.replay import Replay
from pytest_vdg.sessions.session import VdgSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vdg.engine.progress import Progress
    from pytest_vdg.sessions.models import MakeBackend

    ShowProgress = Callable[[str, Progress], None]

AXES = {"compressed": "crf", "sampled": "frames", "fps": "fps"}
"""Name of a condition that is a level to the option that names its numbers."""
_ORIGINAL, _BLACK = "original", "black"


def run_levels(
    settings: Settings,
    ask: Ask,
    levels: Sequence[str],
    *,
    progress: ShowProgress | None = None,
    make_backend: MakeBackend | None = None,
) -> tuple[Run, tuple[str, ...]]:
    """Return a run of ``original``, ``black`` and *levels*, and what has to be told.

    Parameters
    ----------
    settings : Settings
        Say where to run, or which stored runs to read in place of it.
    ask : Ask
        Whom and what to ask; its conditions are not looked at.
    levels : sequence of str
        Specs of conditions, e.g. ``compressed:28``; none for all that a stored
        run holds.

    Raises
    ------
    ConfigError
        Before a model is loaded: for no levels where a model is asked, and for
        anything in *ask* that nothing is known by.
    CouldNotBeJudged
        When the run allows no verdict, or the stored one lacks a level.
    """
    if settings.replay is not None:
        return _replayed(settings, ask, levels), ()
    if not levels:
        raise ConfigError(
            "which levels? Name some: --crf 18 28 38, --fps 0.5 1 2 or --frames 4 8 16"
        )
    asked = Ask(
        slice=ask.slice, tasks=ask.tasks, conditions=(_ORIGINAL, _BLACK, *levels)
    )
    session = VdgSession(settings, make_backend=make_backend, progress=progress)
    try:
        session.checkpoint(asked)
        session.require_known(asked)
        return session.run(asked), tuple(session.notes)
    finally:
        session.close()


def _replayed(settings: Settings, ask: Ask, levels: Sequence[str]) -> Run:
    replay = Replay(settings)
    held = replay.held(ask)
    also = (_BLACK,) if _BLACK in held else ()
    wanted = (_ORIGINAL, *also, *(levels or _only_axis(replay, ask, held)))
    return replay.run(ask, wanted)


def _only_axis(replay: Replay, ask: Ask, held: Sequence[str]) -> tuple[str, ...]:
    """Return the levels among the conditions *held*, which are of one kind."""
    found: dict[str, list[str]] = {}
    for condition in held:
        name = condition.partition(":")[0]
        if name in AXES:
            found.setdefault(name, []).append(condition)
    if not found:
        raise CouldNotBeJudged(
            f"the stored run of slice {replay.slice_name(ask)!r} holds no level of "
            f"compression or rate ({', '.join(held)})"
        )
    if len(found) > 1:
        listed = ", ".join(
            f"--{AXES[name]} {' '.join(c.partition(':')[2] for c in specs)}"
            for name, specs in found.items()
        )
        raise ConfigError(f"which levels? The stored run holds {listed}")
    return tuple(*found.values())
