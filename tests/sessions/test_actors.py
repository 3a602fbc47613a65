"""Actors and the crew that they are: who is asked, and what a death means.

The cluster is made of lists: calls are done in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import BackendError, ConfigError, CouldNotBeJudged
from pytest_vdg.frames.clip import Clip
from pytest_vdg.runs import Outcome, Run
from pytest_vdg.sessions.actors import START_S, Actors, Lost
from pytest_vdg.sessions.crew import Crew
from pytest_vdg.sessions.hand import Hand, Introduction, Told
from tests.engine.elsewhere import hand_of
from tests.engine.examples import SETTINGS, look, model, question, slice_of, write_clip

BOTH = ("original", "black")
VIDEOS = tuple(f"{i}.mp4" for i in range(6))

Fate = Callable[["Actor", str, tuple[object, ...]], None]
"""Told of each call before it is made; raises `Lost` for an actor that dies."""


class Actor:
    """A hand with a number."""

    def __init__(self, number: int, hand: Hand) -> None:
        """Be the actor that was begun as *number*, from 0."""
        self.number, self.hand = number, hand
        self.ended = False
        self.called: list[str] = []


class Board:
    """A cluster of lists; not more than *room* actors find a place."""

    told = "each needs 1 CPU, the cluster has 0 CPU"

    def __init__(self, wanted: int = 2, *, room: int = 99) -> None:
        """Have no actor yet."""
        self.wanted, self.room = wanted, room
        self.actors: list[Actor] = []
        self.now = 0.0
        self.make: Callable[[int], Hand] = lambda number: hand_of(model())
        self.fate: Fate = lambda actor, method, args: None
        self._calls: list[tuple[Actor, str, tuple[object, ...]]] = []

    def begin(self, backend: str, settings: Mapping[str, object]) -> Actor:
        """Begin the next one."""
        number = len(self.actors)
        self.actors.append(Actor(number, self.make(number)))
        return self.actors[-1]

    def call(self, actor: Actor, method: str, *args: object) -> int:
        """Note what is to be done."""
        self._calls.append((actor, method, args))
        return len(self._calls) - 1

    def done(self, calls: Sequence[int], timeout_s: float) -> list[int]:
        """Return the first call of an actor that has a place; else let time go by."""
        placed = [c for c in sorted(calls) if self._calls[c][0].number < self.room]
        self.now += 0 if placed else timeout_s
        for call in placed[:1]:
            self._calls[call][0].called.append(self._calls[call][1])
        return placed[:1]

    def result(self, call: int) -> Any:  # noqa: ANN401
        """Do it now."""
        actor, method, args = self._calls[call]
        self.fate(actor, method, args)
        if method == "where":
            return f"node-{actor.number}"
        return getattr(actor.hand, method)(*args)

    def end(self, actor: Actor) -> None:
        """Note that it was ended."""
        actor.ended = True

    def crew(self) -> Crew:
        """Return the crew of this cluster."""
        return Crew(Actors(self, "any", {}, clock=lambda: self.now))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Slice:
    """Return twelve questions, two about each of six clips."""
    folder: Path = tmp_path_factory.mktemp("clips")
    for number, video in enumerate(VIDEOS):
        write_clip(folder / video, level=60 + 10 * number)
    return slice_of(folder, [question(f"{v}-{i}", v) for v in VIDEOS for i in range(2)])


def run_of(board: Board, asked: Slice, crew: Crew | None = None, **more: Any) -> Run:  # noqa: ANN401
    """Return the run that the actors of *board* make."""
    crew = crew or board.crew()
    settings = replace(SETTINGS, window_cells=4)
    return evaluate(asked, crew, BOTH, settings, hands=crew, **more)


@pytest.mark.parametrize("wanted", [1, 2, 5])
def test_however_many_there_are_the_run_is_the_same(asked: Slice, wanted: int) -> None:
    """All of them ask, and each is introduced and loaded once before."""
    board = Board(wanted)
    assert run_of(board, asked) == evaluate(asked, model(), BOTH, SETTINGS)
    assert len(board.actors) == wanted
    for actor in board.actors:
        assert actor.called.index("where") < actor.called.index("introduce")
        assert actor.called.index("introduce") < actor.called.index("load")
        assert actor.called.count("load") == 1
        assert actor.called[-1] == "answer"


def test_one_actor_is_enough_to_say_who_is_asked(asked: Slice) -> None:
    """A run whose answers are all known begins no other, and loads nothing."""
    board = Board(5)
    crew = board.crew()
    assert crew.name == "scripted"
    assert crew.frames_per_token == 1
    crew.check_conditions(["original"])
    assert [actor.called for actor in board.actors] == [
        ["where", "introduce", "check_conditions"]
    ]


def test_a_question_can_be_put_by_hand(asked: Slice) -> None:
    """One of them asks it; an error of the model is the error."""
    board = Board()
    crew = board.crew()
    prompt = Prompt(text="Light?", labels=("A", "B"), option_texts=("yes", "no"))
    assert crew.ask(prompt, None) == model().ask(prompt, None)

    def dies(actor: Actor, method: str, args: tuple[object, ...]) -> None:
        raise Lost("out of memory")

    board.fate = dies
    with pytest.raises(BackendError, match="the actor that was asked died: out of"):
        crew.ask(prompt, None)


def test_others_are_not_waited_for(asked: Slice) -> None:
    """Who finds no place is told of in the end; the others do all of it."""
    board = Board(3, room=2)
    crew = board.crew()
    assert run_of(board, asked, crew) == evaluate(asked, model(), BOTH, SETTINGS)
    assert crew.notes == (f"1 of 3 actors did not begin in time: {board.told}",)


def test_without_any_place_it_is_said_what_was_asked_for(asked: Slice) -> None:
    """After a while, and as a mistake of the configuration."""
    board = Board(2, room=0)
    with pytest.raises(ConfigError, match="no actor found a place within 120 s: each"):
        run_of(board, asked)
    assert START_S <= board.now <= START_S + 2


# -- who is asked ----------------------------------------------


def test_another_model_on_another_node_is_refused(asked: Slice) -> None:
    """Both nodes are named, and what differs; no answer of it is taken."""

    class OnANode(Hand):
        def introduce(self) -> Introduction:
            return replace(super().introduce(), node=f"gpu{self._settings['number']}")

    def make(number: int) -> Hand:
        hand = OnANode("made already", {"number": number})
        hand._made = model(name=f"step-{number}")
        return hand

    board = Board(2)
    board.make = make
    with pytest.raises(CouldNotBeJudged) as told:
        run_of(board, asked)
    assert "nodes gpu1 and gpu0 would not ask the same model: " in str(told.value)
    assert "weights: scripted:step-1 and scripted:step-0" in str(told.value)
    assert not any("answer" in actor.called for actor in board.actors[1:])


def test_other_readers_than_where_the_run_is_planned_are_refused(
    asked: Slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys would say what did not read the video."""
    board = Board(1)
    monkeypatch.setattr(
        "pytest_vdg.sessions.actors.versions_here", lambda: {"pyav": "1.0"}
    )
    with pytest.raises(CouldNotBeJudged, match=r"and 1\.0.* Install the same versions"):
        run_of(board, asked)


def test_our_errors_say_on_which_node_they_were_met(asked: Slice) -> None:
    """A checkpoint may lack on one of many."""
    board = Board(1)
    board.make = lambda number: Hand("python:nowhere:model", {})
    with pytest.raises(ConfigError, match=r"nowhere(.|\n)*\(on node node-0\)"):
        run_of(board, asked)


class Nameless(Hand):
    """A hand of a backend whose own code is at fault."""

    def introduce(self) -> Introduction:
        """Come to nothing."""
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("hands", "error"),
    [
        ([Hand("python:nowhere:model", {})], ConfigError),
        ([Nameless("any", {})], ZeroDivisionError),
        ([hand_of(model()), hand_of(model(name="other"))], CouldNotBeJudged),
    ],
)
def test_what_cannot_be_asked_cannot_be_asked_by_the_next_run_either(
    asked: Slice, hands: Sequence[Hand], error: type[Exception]
) -> None:
    """The same is said again; nobody waits for it, or goes on without it."""
    board = Board(len(hands))
    board.make = lambda number: hands[min(number, len(hands) - 1)]
    crew = board.crew()
    for _ in range(2):
        with pytest.raises(error):
            run_of(board, asked, crew)
    assert len(board.actors) == len(hands) + 1
    assert all(actor.ended for actor in board.actors[len(hands) - 1 :])


# -- deaths ----------------------------------------------------


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("at", [1, 2])
def test_who_dies_is_replaced_and_its_lot_asked_again(
    asked: Slice, victim: int, at: int
) -> None:
    """Nothing is lost or doubled, and people hear of it."""
    board = Board(2)

    def dies(actor: Actor, method: str, args: tuple[object, ...]) -> None:
        if actor.number == victim and actor.called.count("answer") == at:
            raise Lost("killed")

    board.fate = dies
    done: list[int] = []
    crew = board.crew()
    run = run_of(board, asked, crew, progress=lambda p: done.append(p.done))
    assert run == evaluate(asked, model(), BOTH, SETTINGS)
    assert done == sorted(set(done))
    assert done[-1] == len(run.cells)
    assert len(board.actors) == 3
    assert board.actors[victim].ended, "it may live, and only its answer be lost"
    assert crew.notes == ("1 actor died; what they were asked was asked again",)


def test_a_video_that_kills_is_given_up(asked: Slice) -> None:
    """Its cells say why; all others are answered."""
    board = Board(2)

    def dies(actor: Actor, method: str, args: tuple[Any, ...]) -> None:
        if method == "answer" and "3.mp4" in args[0].plan.paths:
            raise Lost("killed by signal 9")

    board.fate = dies
    run = run_of(board, asked)
    failed = [c for c in run.cells.values() if c.outcome is Outcome.FAILED]
    assert {c.question_id for c in failed} == {"3.mp4-0", "3.mp4-1"}
    assert all("killed by signal 9" in str(cell.reason) for cell in failed)
    assert len(board.actors) == 2 + 3


@pytest.mark.parametrize("method", ["where", "introduce", "load"])
def test_actors_that_die_before_they_ask_end_the_run(asked: Slice, method: str) -> None:
    """Three in a row are no accident; the last reason is told."""
    board = Board(2)

    def dies(actor: Actor, called: str, args: tuple[object, ...]) -> None:
        if called == method:
            raise Lost("no module named pytest_vdg")

    board.fate = dies
    with pytest.raises(
        CouldNotBeJudged, match=r"(?s)in a row died.* no module.*ray status"
    ):
        run_of(board, asked)
    assert len(board.actors) <= 4


def test_who_cannot_be_replaced_is_done_without(asked: Slice) -> None:
    """A node is gone; the one that is left asks all of it."""
    board = Board(2)

    def dies(actor: Actor, method: str, args: tuple[object, ...]) -> None:
        if actor.number == 1 and method == "answer":
            board.room = 2
            raise Lost("its node is gone")

    board.fate = dies
    crew = board.crew()
    assert run_of(board, asked, crew) == evaluate(asked, model(), BOTH, SETTINGS)
    assert any("1 of 2 actors did not begin in time" in note for note in crew.notes)


def test_when_all_are_gone_the_run_ends(asked: Slice) -> None:
    """Nobody waits for ever for a place that does not come."""
    board = Board(1)

    def dies(actor: Actor, method: str, args: tuple[object, ...]) -> None:
        if method == "answer":
            board.room = 0
            raise Lost("its node is gone")

    board.fate = dies
    with pytest.raises(CouldNotBeJudged, match="all actors died, and no actor found"):
        run_of(board, asked)


# -- the end ---------------------------------------------------


def test_a_run_that_was_broken_off_leaves_nothing_to_the_next(asked: Slice) -> None:
    """What was under way is not taken for an answer of another run."""
    board, calls = Board(2), []

    def answer(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        calls.append(prompt)
        if len(calls) == 9:
            raise ZeroDivisionError
        return look(prompt, clip)

    board.make = lambda number: hand_of(model(answer=answer))
    crew = board.crew()
    with pytest.raises(ZeroDivisionError):
        run_of(board, asked, crew)
    assert run_of(board, asked, crew) == evaluate(asked, model(), BOTH, SETTINGS)


def test_all_are_ended_and_the_idle_ones_free_their_model(asked: Slice) -> None:
    """Before another checkpoint's are begun."""
    board = Board(2)
    crew = board.crew()
    run_of(board, asked, crew)
    crew.close()
    crew.close()
    assert [actor.ended for actor in board.actors] == [True, True]
    assert [actor.called[-1] for actor in board.actors] == ["close", "close"]


def test_what_the_model_tells_is_told_once(asked: Slice) -> None:
    """Notes of all actors, what was observed, and that one runs plain."""

    class Telling(Hand):
        def told(self) -> Told:
            number = self._settings["number"]
            plain = "shares nothing: no cache" if number else "shares beginnings"
            observed = {"kernel": f"k{number}"}
            return Told(notes=("slow",), observed=observed, sharing=plain)

    def make(number: int) -> Hand:
        hand = Telling("made already", {"number": number})
        hand._made = model()
        return hand

    board = Board(2)
    board.make = make
    crew = board.crew()
    run = run_of(board, asked, crew)
    assert crew.notes == ("slow",)
    assert crew.sharing == "shares nothing: no cache"
    assert run.fingerprint.informative["kernel"] == "k0, k1"
