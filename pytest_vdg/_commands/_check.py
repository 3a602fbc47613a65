"""`Check`: one thing that ``vdg doctor`` looked at, and how it is written.

Apart from what is looked at so that no check can end the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pytest_vdg.atomic import is_stream
from pytest_vdg.errors import INTERRUPTS, VdgError
from pytest_vdg.reports._format import wrapped

_ABOUT = 12
_INDENT = " " * (6 + _ABOUT)


class State(str, Enum):
    """How it stands; the value is what people read."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"

    def __str__(self) -> str:
        """Return the word that people read."""
        return self.value


@dataclass(frozen=True, kw_only=True)
class Check:
    """What was looked at, what was found, and what to type."""

    about: str
    state: State = State.OK
    told: str
    advice: str = ""
    """What to type or to do; empty where nothing is to be done."""

    def lines(self) -> list[str]:
        """Return it as text: state, what, found; then what to type."""
        first, *rest = (self.told or "-").splitlines()
        lines = wrapped(first, first=f"{self.state!s:<6}{self.about:<{_ABOUT}}")
        lines += [f"{_INDENT}{line.strip()}" for line in rest]  # may be for copying
        return [*lines, *([f"{_INDENT}type: {self.advice}"] if self.advice else [])]


Look = Callable[[], Iterable[Check]]


def looked(about: str, look: Look) -> Iterator[Check]:
    """Yield what *look* finds; what stands in its way is a finding, too."""
    try:
        yield from look()
    except VdgError as error:
        yield Check(about=about, state=State.FAIL, told=str(error))
    except INTERRUPTS:
        raise
    except BaseException as error:  # noqa: BLE001 - what is broken, is told
        told = f"{type(error).__name__}: {error}"
        yield Check(about=about, state=State.FAIL, told=told)


def nearest(path: Path) -> Path:
    """Return *path*, or what lies above it and is there, be it a link to nowhere.

    What may not be looked at is not there, where `Path.exists` would raise.
    """
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    return path


def writable(path: Path, *, folder: bool = False, appended: bool = False) -> bool:
    """Tell whether a file, or a *folder*, can be written there, or made.

    A file that is written whole takes the place of the old one, which its folder
    must allow; one that is *appended* to must allow it itself, as must a device.
    """
    whole, place = path.absolute(), nearest(path.absolute())
    try:
        if place == whole and place.is_dir() is not folder:
            return False
        if place == whole and not folder:
            if appended or is_stream(place):
                return os.access(place, os.W_OK)
            place = place.parent
        return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    except OSError:  # a link to what may not be looked at
        return False
