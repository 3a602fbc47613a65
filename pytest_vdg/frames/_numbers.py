"""Numbers in the specs of conditions: ``28`` in ``compressed:28``.

Apart from ``conditions.py`` so that a number is read, bounded and written in one
way: two specs that mean the same must be the same text, since specs name cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from pytest_vdg.errors import ConfigError
from pytest_vdg.frames._timeline import FASTEST_FPS
from pytest_vdg.frames.sampling import MOST_FRAMES
from pytest_vdg.frames.view import HIGHEST_CRF, LOWEST_CRF

_OTHER_WORDS = {"crf": "compressed", "frames": "sampled", "rate": "fps"}
"""What people write for a condition with a number."""
_WORD_AND_NUMBER = re.compile(r"([a-z]*)[_=-]?([\d.]*)", re.ASCII)
_DECIMAL = re.compile(r"\d+(\.\d+)?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Number:
    """What the number of a condition may be."""

    sign: str
    """What stands for it in documentation, e.g. ``CRF``."""
    what: str
    """What it is, in words, e.g. ``a constant rate factor``."""
    low: float
    """The least that it may be, or, unless `whole`, must be above."""
    high: float
    """The most that it may be."""
    example: str
    """A number to show."""
    whole: bool = True
    """Whether it has no decimals."""

    def check(self, name: str, argument: str | None) -> None:
        """Raise `ConfigError` unless *argument* is such a number, written plainly."""
        kind = "whole number" if self.whole else "number"
        least = f"{self.low:g} to" if self.whole else f"above {self.low:g} up to"
        needs = (
            f"condition {name!r} needs {self.what} after a colon, a {kind} {least} "
            f"{self.high:g}"
        )
        example = f" Example: {name}:{self.example}"
        if argument is None or not argument.strip():
            raise ConfigError(f"{needs}; got none.{example}")
        if not _DECIMAL.fullmatch(argument.strip()):
            raise ConfigError(f"{needs}; got {argument!r:.40}.{example}")
        value = float(argument)
        if (self.whole and not value.is_integer()) or not self._within(value):
            raise ConfigError(f"{needs}; got {argument!r:.40}.{example}")
        plain = _plain(value)
        if argument != plain:
            raise ConfigError(
                f"condition {name!r}: write {name}:{plain} for {argument!r:.40}; a "
                "condition has one spelling, by which its answers are found"
            )

    def _within(self, value: float) -> bool:
        above = value >= self.low if self.whole else value > self.low
        return above and value <= self.high


CRF = Number(
    sign="CRF",
    what="a constant rate factor",
    low=LOWEST_CRF,
    high=HIGHEST_CRF,
    example="28",
)
FRAMES = Number(
    sign="F", what="a number of frames", low=1, high=MOST_FRAMES, example="8"
)
RATE = Number(
    sign="R",
    what="frames a second",
    low=0,
    high=FASTEST_FPS,
    example="2",
    whole=False,
)


def meant(name: str, argument: str | None, numbered: Collection[str]) -> str:
    """Return a hint at one of *numbered* conditions for an unknown one, or nothing.

    >>> meant("crf28", None, ["compressed"])
    " Did you mean 'compressed:28'?"
    """
    found = _WORD_AND_NUMBER.fullmatch(name.lower())
    if found is None:
        return ""
    word, number = _OTHER_WORDS.get(found[1], found[1]), found[2] or argument
    return f" Did you mean '{word}:{number}'?" if number and word in numbered else ""


def _plain(value: float) -> str:
    """Return *value* in its one spelling.

    >>> _plain(28.0), _plain(0.50), _plain(29.97), _plain(0.00001)
    ('28', '0.5', '29.97', '0.00001')
    """
    if value.is_integer():
        return str(int(value))
    text = repr(value)
    return f"{value:.20f}".rstrip("0") if "e" in text else text
