"""`Crew`: a model that actors on a cluster ask; to the engine a backend, and hands.

Apart from the actors, who live and die: here is what they are asked, and what all
of them together have to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_vdg.backends.protocol import BackendIdentity, Prompt, Reply
from pytest_vdg.engine.hands import Handed, Lot, Lots
from pytest_vdg.frames.clip import Clip
from pytest_vdg.sessions.actors import Actors, Done, Lost
from pytest_vdg.sessions.hand import Told
from pytest_vdg.spelling import count


class Crew:
    """A backend whose questions *actors* ask, lot by lot."""

    def __init__(self, actors: Actors) -> None:
        """Begin no actor yet."""
        self._actors = actors
        self._told: dict[int, Told] = {}

    @property
    def name(self) -> str:
        """What the first actor calls the model."""
        return self._actors.first.name

    @property
    def identity(self) -> BackendIdentity:
        """What the first actor says of the model; all others must say the same."""
        return self._actors.first.identity

    @property
    def frames_per_token(self) -> int:
        """Frames that the model merges into one visual token in time."""
        return self._actors.first.frames_per_token

    def check_conditions(self, conditions: Sequence[str]) -> None:
        """Raise `ConfigError` for *conditions* that the model cannot be asked under."""
        self._actors.one("check_conditions", tuple(conditions))

    def import_libraries(self) -> None:
        """Begin all actors, which load while the first videos are looked at here."""
        self._actors.fill()

    def load(self) -> None:
        """Do nothing: each actor loads by itself."""

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Have one actor ask; as `Backend.ask`."""
        reply: Reply = self._actors.one("ask", prompt, clip)
        return reply

    def answers(self, lots: Lots, /) -> Iterator[Handed]:
        """Give *lots* to whoever is free, and yield what comes back; see `Hands`."""
        if not lots.open:
            return
        self._actors.fill()
        try:
            while self._give(lots) or lots.open:
                arrived = self._actors.step()
                self._give(lots)  # nobody waits for what is done with the answers
                for done in arrived:
                    if done.lot is not None:
                        yield from self._handed(done, done.lot, lots)
        finally:
            for member in self._actors.members:
                member.lot = None

    def _give(self, lots: Lots) -> bool:
        """Give lots to all who are free; return whether anyone asks one."""
        members = self._actors.members
        for member in members:
            if member.loaded and member.call is None:
                lot = lots.take(len(members))
                if lot is None:
                    break
                self._actors.send(member, "answer", lot)
                member.lot = lot
        return any(member.lot is not None for member in members)

    def _handed(self, done: Done, lot: Lot, lots: Lots) -> Iterator[Handed]:
        if isinstance(done.value, Lost):
            yield from lots.lost(lot, str(done.value))
            return
        handed, told = done.given
        self._told[id(done.member)] = told
        yield handed

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should hear of the model, and of actors that were missing."""
        own = [note for told in self._told.values() for note in told.notes]
        members, deaths = self._actors.members, self._actors.deaths
        waiting = sum(not member.node for member in members)
        if waiting and self._told:
            all_ = count(len(members), "actor")
            told = self._actors.cluster.told
            own.append(f"{waiting} of {all_} did not begin in time: {told}")
        if deaths:
            died = count(len(deaths), "actor")
            own.append(f"{died} died; what they were asked was asked again")
        return tuple(dict.fromkeys(own))

    @property
    def observed(self) -> Mapping[str, str]:
        """What actors found out of the model; where they differ, all of it."""
        found: dict[str, dict[str, None]] = {}
        for told in self._told.values():
            for name, value in told.observed.items():
                found.setdefault(name, {})[value] = None
        return {name: ", ".join(values) for name, values in found.items()}

    @property
    def sharing(self) -> str:
        """What prompts share: of an actor that runs plain, where one does."""
        told = [told.sharing for told in self._told.values() if told.sharing]
        plain = [each for each in told if each.startswith("shares nothing")]
        return (plain or told or [""])[0]

    def close(self) -> None:
        """End all actors; may be called twice."""
        self._actors.close()
