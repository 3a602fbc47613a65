"""A hand: says who is asked where, and asks lots with what it holds between them."""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg import ScriptedBackend
from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.engine.footage import digests
from pytest_vdg.engine.hands import Lot, Lots
from pytest_vdg.engine.pace import Pace
from pytest_vdg.engine.plan import make_plan
from pytest_vdg.errors import (
    BackendUnavailable,
    ConfigError,
    CouldNotBeJudged,
    VdgError,
    VideoNotConsumed,
)
from pytest_vdg.sessions.hand import Hand, Introduction, versions_here
from pytest_vdg.sessions.ray_actor import RayActor
from tests.engine.elsewhere import hand_of
from tests.engine.examples import SETTINGS, model, question, slice_of, write_clip

MODEL = "python:tests.engine.examples:model"


def lot_of(folder: Path, conditions: tuple[str, ...] = ("original",)) -> Lot:
    """Return a lot of one question about a clip in *folder*, which is made."""
    if not (folder / "a.mp4").exists():
        write_clip(folder / "a.mp4", level=60)
    slice_ = slice_of(folder, [question("q", "a.mp4")])
    plan = make_plan(slice_, conditions, seed=0)
    lot = Lots(plan, {}, SETTINGS, pace=Pace(), until=None).take(1)
    assert lot is not None
    return lot


def test_whoever_asks_introduces_itself() -> None:
    """By the model's identity and all that the package brings to a run."""
    hand = Hand(MODEL, {"name": "mine", "frames_per_token": 2})
    found = hand.introduce()
    own = ScriptedBackend(lambda prompt, clip: "A", name="mine", scoring="choice")
    assert (found.name, found.frames_per_token) == ("mine", 2)
    assert found.identity.subject == own.identity.subject
    assert found.departs(versions_here()) == ()
    assert found.differences(found) == ()


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("subject", "weights: b and a"),
        ("environment", "device: b and a"),
        ("versions", "torch: b and a"),
    ],
)
def test_every_part_of_an_identity_is_compared(field: str, told: str) -> None:
    """What differs is named with both values."""
    first = Hand(MODEL, {}).introduce()
    name = told.partition(":")[0]

    def saying(value: str) -> Introduction:
        changed = {field: {name: value}}
        return replace(first, identity=replace(first.identity, **changed))  # type: ignore[arg-type]

    assert saying("b").differences(saying("a")) == (told,)


def test_other_readers_are_told_from_those_here() -> None:
    """One that is missing differs, too."""
    found = replace(Hand(MODEL, {}).introduce(), versions={"pyav": "1.0"})
    assert found.departs({"pyav": "1.0", "decord": "3"}) == ("decord: none and 3",)


def test_a_lot_is_answered_with_keys_and_digests(tmp_path: Path) -> None:
    """A lot crosses to another process and asks the same there."""
    lot = pickle.loads(pickle.dumps(lot_of(tmp_path, ("original", "black"))))
    handed, told = hand_of(model()).answer(lot)
    assert [cell.condition for cell in handed.cells] == ["original", "black"]
    assert set(handed.keys) == {("q", "original"), ("q", "black")}
    assert set(handed.digests) == {"a.mp4"}
    assert told.notes == ()
    assert pickle.loads(pickle.dumps(handed)).cells == handed.cells


def test_what_is_known_is_not_asked(tmp_path: Path) -> None:
    """It comes with the lot, to be checked against, and does not come back."""
    whole = lot_of(tmp_path, ("original", "black"))
    first, _ = hand_of(model()).answer(whole)
    kept = {("q", "original"): first.cells[0]}
    backend = model()
    handed, _ = hand_of(backend).answer(replace(whole, kept=kept))
    assert [cell.condition for cell in handed.cells] == ["black"]
    assert backend.calls == 1


def test_readers_are_held_between_lots(tmp_path: Path) -> None:
    """Until a run reads otherwise."""
    hand, lot = hand_of(model()), lot_of(tmp_path)
    hand.answer(lot)
    held = hand._decoders
    hand.answer(lot)
    assert hand._decoders is held
    assert held is not None
    ended: list[str] = []
    held.close = lambda: ended.append("the first")  # type: ignore[method-assign]
    hand.answer(replace(lot, settings=replace(SETTINGS, decode_timeout_s=5.0)))
    assert hand._decoders is not held
    assert ended == ["the first"]
    hand.close()


def test_a_video_is_read_for_its_digest_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run comes lot by lot, and files are large."""
    read: list[str] = []

    def noting(paths: Mapping[str, Path]) -> dict[str, str]:
        read.extend(paths)
        return digests(paths)

    monkeypatch.setattr("pytest_vdg.sessions.hand.digests", noting)
    hand, lot = hand_of(model()), lot_of(tmp_path)
    first, second = (hand.answer(lot)[0].digests for _ in range(2))
    assert read == ["a.mp4"]
    assert first == second


def test_a_video_that_is_changed_is_another_one(tmp_path: Path) -> None:
    """Digests are remembered of files that are as they were."""
    hand, lot = hand_of(model()), lot_of(tmp_path)
    first, _ = hand.answer(lot)
    # Another size, too: a clock may stand for longer than it takes to write a clip.
    write_clip(tmp_path / "a.mp4", level=90, frames=9)
    second, _ = hand.answer(lot)
    assert first.digests != second.digests
    (tmp_path / "a.mp4").unlink()
    third, _ = hand.answer(lot)
    assert third.digests == {"a.mp4": ""}


class Noting(ScriptedBackend):
    """A model that notes what it is told, and cannot be shown a video backwards."""

    def __init__(self) -> None:
        """Have been told nothing."""
        super().__init__(lambda prompt, clip: "A")
        self.told: list[str] = []

    def check_conditions(self, conditions: Sequence[str]) -> None:
        """Refuse ``reversed``."""
        if "reversed" in conditions:
            raise ConfigError("not backwards")

    def import_libraries(self) -> None:
        """Need none."""

    def load(self) -> None:
        """Note it."""
        self.told.append("load")

    def close(self) -> None:
        """Note it."""
        self.told.append("close")
        super().close()


def test_what_is_asked_of_a_hand_its_model_is_asked(tmp_path: Path) -> None:
    """Whether it can be asked, to load, a single question, and to make room."""
    backend = Noting()
    hand = hand_of(backend)
    hand.check_conditions(["original", "black"])
    with pytest.raises(ConfigError, match="not backwards"):
        hand.check_conditions(["original", "reversed"])
    hand.load()
    prompt = Prompt(text="Is there light?", labels=("A", "B"), option_texts=("y", "n"))
    assert hand.ask(prompt, None) == backend.ask(prompt, None)
    hand.answer(lot_of(tmp_path))
    assert backend.told == ["load"] * 2
    readers = hand._decoders
    assert readers is not None
    ended: list[str] = []
    readers.close = lambda: ended.append("readers")  # type: ignore[method-assign]
    for _ in range(2):
        hand.close()
    assert backend.told == ["load", "load", "close"]
    assert ended == ["readers"]


# -- over the border -------------------------------------------


def kinds(base: type[VdgError] = VdgError) -> list[type[VdgError]]:
    """Return all of our errors that are imported."""
    below = [kind for each in base.__subclasses__() for kind in kinds(each)]
    return [base, *below]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_every_error_of_ours_arrives_as_it_was_raised(kind: type[VdgError]) -> None:
    """Kind, message and whatever else it holds, however it is made."""
    error = kind.__new__(kind, "what came, and what to type")
    error.args = ("what came, and what to type",)
    error.status = 3  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.status == 3


def test_an_error_with_parts_arrives_with_its_message() -> None:
    """It is made of three, and arrives as one."""
    error = BackendUnavailable("transformers", "torch")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (BackendUnavailable, str(error))


def test_an_actor_answers_with_our_errors(tmp_path: Path) -> None:
    """It goes on living, and says where it is."""
    lost = RayActor(MODEL, {"consumes_video": False}, str(tmp_path / "not there"))
    assert isinstance(lost.call("answer", lot_of(tmp_path)), VideoNotConsumed)
    wrong = RayActor("python:nowhere:model", {}, "")
    assert isinstance(wrong.call("introduce"), ConfigError)
    assert isinstance(wrong.call("where"), str)


class OfTheModel(BackendUnavailable):
    """What a model's code may raise: made of parts, and of what cannot travel."""

    def __init__(self, code: int) -> None:
        """Hold a lock."""
        Exception.__init__(self, f"code {code}")
        self.lock = threading.Lock()


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (
            ZeroDivisionError("by none"),
            CouldNotBeJudged,
            r"^ZeroDivisionError: by none",
        ),
        (SystemExit("bye"), CouldNotBeJudged, r"^SystemExit: bye\n +where .*\d$"),
        (OfTheModel(7), BackendUnavailable, "^code 7$"),
    ],
)
def test_what_a_models_code_raises_is_an_answer_in_words(
    raised: BaseException, kind: type[Exception], said: str
) -> None:
    """It arrives where that code is not, and does not look like a death."""

    def broken(**settings: object) -> object:
        raise raised

    actor = RayActor("python:nowhere:model", {}, "")
    actor._hand.introduce = broken  # type: ignore[method-assign,assignment]
    answer = pickle.loads(pickle.dumps(actor.call("introduce")))
    assert type(answer) is kind
    assert re.search(said, str(answer))
