"""`Models`: what a model that is held has to tell, as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_vdg import ScriptedBackend
from pytest_vdg.config.resolve import resolve
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.sessions.models import Models


class Telling(ScriptedBackend):
    """A played model that counts."""

    notes: Sequence[str] = ()


def models(*made: ScriptedBackend) -> Models:
    """Return models that are made in this order."""
    left = list(made)
    settings = resolve([], base=Path(), config=VdgConfig())

    def make(*given: Any) -> ScriptedBackend:  # noqa: ANN401 - not looked at
        return left.pop(0)

    return Models(settings, make, None)


def test_counts_that_grew_stand_there_once() -> None:
    """What a model told after one run is replaced after the next; others stay."""
    backend = Telling(lambda prompt, clip: "A")
    held = models(backend)
    held.of("one")
    backend.notes = ("3 requests", "weights: unknown")
    notes = held.retold(["a note of a slice"])
    assert notes == ["a note of a slice", "3 requests", "weights: unknown"]
    backend.notes = ("5 requests", "weights: unknown")
    notes = held.retold([*notes, "another"])
    assert notes == ["a note of a slice", "another", "5 requests", "weights: unknown"]


def test_what_a_model_told_stays_when_another_is_held() -> None:
    """The counts of the first are final."""
    first, second = Telling(lambda p, c: "A"), Telling(lambda p, c: "B")
    held = models(first, second)
    held.of("one")
    first.notes = ("one: 3 requests",)
    notes = held.retold([])
    held.of("two")
    second.notes = ("two: 1 request",)
    assert held.retold(notes) == ["one: 3 requests", "two: 1 request"]
