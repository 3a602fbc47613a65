"""Every error the package raises on purpose; the tree is drawn below.

Kept at the bottom of all layers so that any part can raise, and any caller
catch, without importing the part that failed.

* VdgError
  x ConfigError             an option, marker or ``vdg.yaml`` entry is wrong
  x BenchmarkError          an annotation file or record cannot be used
  x MediaError              a video file cannot give the frames asked for
  x ConditionNotApplicable  a condition has no meaning for this clip
  x BackendError            a model failed to answer; never a wrong answer
    x BackendUnavailable    a backend's packages are not installed
  x StoreError              an answer or baseline file cannot be read
  x CouldNotBeJudged        there is no honest verdict on this run
    x VideoNotConsumed      the video never reached the model
    x NotComparable         two runs do not measure the same thing

Wrong arguments are ``ValueError``/``TypeError``; wrong command lines become
``pytest.UsageError``, and only in ``plugin.py``. Evidence *against* a claim is
an ``AssertionError`` (`pytest_vdg.assertions.ClaimFailed`), not one of these.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

INTERRUPTS = (KeyboardInterrupt, GeneratorExit)
"""What ends more than what was going on, and is nobody's fault: never contained."""


class VdgError(Exception):
    """Base of every error the package raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross to another process as it is, whatever it was made of."""
        return _met_elsewhere, (type(self), *self.args), vars(self)


def _met_elsewhere(kind: type[VdgError], *args: object) -> VdgError:
    return kind.__new__(kind, *args)


class ConfigError(VdgError):
    """An option, marker argument or ``vdg.yaml`` entry is wrong."""


class BenchmarkError(VdgError):
    """An annotation file or one of its records cannot be used."""


class MediaError(VdgError):
    """A video file cannot give the frames that were asked for."""


class ConditionNotApplicable(VdgError):
    """A condition has no meaning for this clip, e.g. shuffling one frame."""


class BackendError(VdgError):
    """A model failed to answer. The cell is ``failed``, never ``wrong``."""


class BackendUnavailable(BackendError):
    """The packages that a backend needs are not installed."""

    def __init__(self, backend: str, package: str, *, extra: str = "model") -> None:
        """Say which *package* the *backend* misses, and which *extra* has it."""
        super().__init__(
            f"backend {backend!r} needs {package!r}, which is not installed.\n"
            f"Install it with: pip install 'pytest-vdg[{extra}]'"
        )


class StoreError(VdgError):
    """An answer or baseline file cannot be read, or not be trusted."""


class CouldNotBeJudged(VdgError):
    """There is no honest verdict: something that must be known is not."""


class VideoNotConsumed(CouldNotBeJudged):
    """The video never reached the model, so its answers say nothing of sight."""


class NotComparable(CouldNotBeJudged):
    """Two runs do not measure the same thing."""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a hint naming the nearest of *known*, or the whole list.

    The result starts with a space so that it can follow a full sentence.
    """
    names = sorted(known)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    if near:
        return f" Did you mean {near[0]!r}?"
    return f" Known: {', '.join(names)}."


def near_path(path: Path) -> str:
    """Return a hint for a *path* that is not there; empty where nothing is near.

    It names what lies beside it, or how far the path exists. Where something of
    another kind is there, it says of which.
    """
    above = path.parent
    if path.exists():
        return f" It is a {'folder' if path.is_dir() else 'file'}"
    if above.is_dir():
        try:
            names = [each.name for each in above.iterdir()]
        except OSError:
            return ""  # may be entered, not listed
        near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.6)
        return f" Did you mean {str(above / near[0])!r}?" if near else ""
    while not above.is_dir() and above != above.parent:
        above = above.parent
    return f" The path exists up to {above}"
