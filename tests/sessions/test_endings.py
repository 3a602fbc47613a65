"""What a model's own code may do besides raising an exception, and what comes of it."""

from __future__ import annotations

import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg import ScriptedBackend
from pytest_vdg.config.resolve import resolve
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.errors import BackendError, ConfigError, CouldNotBeJudged
from pytest_vdg.sessions.hand import Hand
from pytest_vdg.sessions.judging import broken_told, endings_told, not_freed, told
from pytest_vdg.sessions.models import Models
from pytest_vdg.sessions.ray_actor import RayActor
from tests.sessions.test_actors import Board

ENDINGS: dict[str, Callable[[], Any]] = {
    "skip": lambda: pytest.skip("no GPU"),
    "fail": lambda: pytest.fail("dark"),
    "xfail": lambda: pytest.xfail("dark"),
    "leave": lambda: sys.exit(0),
    "skiptest": lambda: _raise(unittest.SkipTest("no GPU")),
}
TELLERS = [broken_told, endings_told]


def _raise(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize("teller", TELLERS)
@pytest.mark.parametrize("how", ENDINGS)
def test_what_ends_a_test_or_the_program_could_not_be_judged(
    teller: Any,  # noqa: ANN401 - a context manager
    how: str,
) -> None:
    """With the name of what was raised, and what raised it as its cause."""
    with pytest.raises(CouldNotBeJudged) as caught, teller():
        ENDINGS[how]()
    cause = caught.value.__cause__
    assert cause is not None
    assert str(caught.value).partition("\n")[0].endswith(f": {cause}")
    assert type(cause).__name__ in str(caught.value)


@pytest.mark.parametrize("teller", TELLERS)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit])
def test_an_interrupt_is_nobodys_fault(
    teller: Any,  # noqa: ANN401 - a context manager
    kind: type[BaseException],
) -> None:
    """It ends what it was meant to end."""
    with pytest.raises(kind), teller():
        raise kind


@pytest.mark.parametrize("teller", TELLERS)
@pytest.mark.parametrize("error", [BackendError("dark"), ConfigError("odd")])
def test_our_own_errors_stay_what_they_are(
    teller: Any,  # noqa: ANN401 - a context manager
    error: Exception,
) -> None:
    """The very object arrives."""
    with pytest.raises(type(error)) as caught, teller():
        raise error
    assert caught.value is error


def test_where_only_endings_are_told_exceptions_stay() -> None:
    """A test shows where they came from, as of any exception."""
    with pytest.raises(ZeroDivisionError), endings_told():
        _ = 1 // 0


def test_the_place_is_that_of_who_skipped() -> None:
    """Not that of pytest's own function, which hides itself from tracebacks."""
    with pytest.raises(pytest.skip.Exception) as caught:
        pytest.skip("no GPU")
    assert f"\n  where     {__file__}:" in told(caught.value)
    note = not_freed(caught.value)
    assert note.startswith("freeing the model raised Skipped: no GPU (")
    assert f"({__file__}:" in note
    assert "\n" not in note


@pytest.mark.parametrize("how", ENDINGS)
def test_an_actor_answers_in_words(how: str) -> None:
    """It does not die of what its model does."""
    actor = RayActor("python:nowhere:model", {}, "")
    actor._hand.introduce = ENDINGS[how]  # type: ignore[method-assign,assignment]
    answer = actor.call("introduce")
    assert type(answer) is CouldNotBeJudged
    assert "where" in str(answer)


class Stuck(ScriptedBackend):
    """A model that cannot be freed."""

    def close(self) -> None:
        """Raise."""
        raise OSError("the device is busy")


def stuck(*given: object) -> Stuck:
    """Make a model that cannot be freed."""
    return Stuck(lambda prompt, clip: "A")


def test_a_model_that_is_not_freed_is_a_note_of_the_next() -> None:
    """Which is made and held all the same; the last one's fault is raised."""
    held = Models(resolve([], base=Path(), config=VdgConfig()), stuck, None)
    first = held.of("one")
    assert held.retold(["another"]) == ["another"]
    assert held.of("two") is not first
    [note] = [n for n in held.retold(["another"]) if n != "another"]
    assert "OSError: the device is busy" in note
    with pytest.raises(OSError, match="busy"):
        held.end()
    held.end()
    assert held.held is None


class StuckHand(Hand):
    """A hand whose model cannot be freed."""

    def __init__(self, hand: Hand) -> None:
        """Be *hand* in all else."""
        self.__dict__.update(hand.__dict__)

    def close(self) -> None:
        """Raise as an actor does, which says in words what was raised."""
        raise CouldNotBeJudged("OSError: the device is busy")


def test_actors_that_cannot_free_their_model_are_ended_and_told() -> None:
    """All of them are ended first."""
    board = Board(2)
    make = board.make
    board.make = lambda number: StuckHand(make(number))
    crew = board.crew()
    crew._actors.fill()
    while not all(member.loaded for member in crew._actors.members):
        crew._actors.step()
    with pytest.raises(CouldNotBeJudged, match="the device is busy"):
        crew.close()
    assert [actor.ended for actor in board.actors] == [True, True]
    crew.close()
