"""`Actors`: processes on a cluster that ask one model, begun, led on and replaced.

Apart from the library that runs the cluster, and from what they are asked: this is
about who lives, who is ready, and whose word on the model's identity holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_vdg.engine.hands import Lot
from pytest_vdg.errors import BackendError, ConfigError, CouldNotBeJudged, VdgError
from pytest_vdg.sessions.hand import Introduction, versions_here

START_S = 120.0
"""Seconds within which a first actor must have found a place."""
DEATHS = 3
"""Actors that may die in a row before they can be asked."""
_WAIT_S = 1.0
_END_S = 5.0
_START = ("where", "introduce", "load")
"""What an actor is called for before it is given lots."""


class Lost(Exception):
    """An actor died; says why, as far as that is known."""


class Cluster(Protocol):
    """A place where actors live; each is a `Hand` that is called by method name."""

    @property
    def wanted(self) -> int:
        """How many actors a run should have, at least 1."""

    @property
    def told(self) -> str:
        """What an actor needs, and what there is."""

    def begin(self, backend: str, settings: Mapping[str, object]) -> Any:  # noqa: ANN401
        """Return an actor, which lives as soon as there is room for it."""

    def call(self, actor: Any, method: str, *args: object) -> Any:  # noqa: ANN401
        """Have *actor* do something after what it was called for before."""

    def done(self, calls: Sequence[Any], timeout_s: float) -> Sequence[Any]:
        """Return those of *calls* that are done; wait for the first of them."""

    def result(self, call: Any) -> Any:  # noqa: ANN401
        """Return what came of *call*; raises what it raised, or `Lost`."""

    def end(self, actor: Any) -> None:  # noqa: ANN401
        """End *actor*, whatever it does."""


@dataclass(eq=False, kw_only=True)
class Member:
    """One actor, and what it does at the moment."""

    actor: Any
    since: float
    """When it was begun, of the clock."""
    node: str = ""
    """Where it lives; empty while it waits for a place."""
    ready: bool = False
    """Whether it was introduced."""
    loaded: bool = False
    call: Any = None
    doing: str = ""
    lot: Lot | None = None
    """What it is asked; None also for what nobody waits for any more."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Done:
    """What one call of an actor came to."""

    member: Member
    doing: str
    lot: Lot | None
    value: Any
    """A result, a `VdgError` or a `Lost`."""

    @property
    def given(self) -> Any:  # noqa: ANN401
        """The result; what stood in its way is raised."""
        if isinstance(self.value, Lost):
            raise BackendError(f"the actor that was asked died: {self.value}")
        if isinstance(self.value, VdgError):
            raise self.value
        return self.value


class Actors:
    """The actors of one model on *cluster*, as many as that wants."""

    def __init__(
        self,
        cluster: Cluster,
        backend: str,
        settings: Mapping[str, object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin none yet."""
        self.cluster = cluster
        self.members: list[Member] = []
        self.deaths: list[str] = []
        """Why each actor that died did."""
        self._made_as = backend, settings
        self._clock = clock
        self._first: Introduction | None = None
        self._whole = False  # whether as many are begun as are wanted
        self._dead_starts = 0

    @property
    def first(self) -> Introduction:
        """What the first one says of the model; waited for, and asked of no other."""
        while self._first is None:
            self._some()
            self.step()
        return self._first

    def fill(self) -> None:
        """Begin all that are wanted, and have those that live load."""
        self._whole, self._dead_starts = True, 0
        while len(self.members) < self.cluster.wanted:
            self._begin()
        for member in self.members:
            if member.ready and not member.loaded and member.call is None:
                self.send(member, "load")

    def send(self, member: Member, method: str, *args: object) -> None:
        """Have *member*, which does nothing, do something."""
        member.call = self.cluster.call(member.actor, method, *args)
        member.doing = method

    def one(self, method: str, *args: object) -> Any:  # noqa: ANN401
        """Return what one of them, whichever is free first, says to *method*."""
        while not (free := [m for m in self.members if m.ready and m.call is None]):
            self._some()
            self.step()
        self.send(free[0], method, *args)
        while True:
            for done in self.step():
                if done.member is free[0]:
                    return done.given

    def step(self) -> list[Done]:
        """Wait for what is done first; lead on those that start, return the others."""
        calls = {m.call: m for m in self.members if m.call is not None}
        found = []
        for call in self.cluster.done(list(calls), _WAIT_S):
            with self._introduced(calls[call]):
                done = self._came_of(call, calls[call])
                if isinstance(done.value, Lost):
                    self._bury(done)
                elif done.doing in _START:
                    self._lead_on(done)
            if done.doing not in _START:
                found.append(done)
        self._require_placed()
        return found

    def close(self) -> None:
        """End all; idle ones may free their model first. Raises what that raised."""
        members, self.members, self._whole = self.members, [], False
        idle = [m.actor for m in members if m.node and m.call is None]
        try:
            faults = self._freed(idle)
        finally:
            for member in members:
                self.cluster.end(member.actor)
        if faults:
            raise faults[0]

    def _freed(self, idle: Sequence[Any]) -> list[VdgError]:
        """Have *idle* actors free their model; return what that raised there."""
        found: list[VdgError | None] = []
        with suppress(Lost):
            left = [self.cluster.call(actor, "close") for actor in idle]
            end = self._clock() + _END_S
            while left and self._clock() < end:
                done = set(self.cluster.done(left, _WAIT_S))
                left = [call for call in left if call not in done]
                found += [self._fault(call) for call in done]
        return [fault for fault in found if fault is not None]

    def _fault(self, call: Any) -> VdgError | None:  # noqa: ANN401
        """Return what *call*, which is done, raised; None where it raised nothing."""
        with suppress(Lost):  # it freed its model by its death
            try:
                self.cluster.result(call)
            except VdgError as error:
                return error
        return None

    def _some(self) -> None:
        if not self.members:
            self._begin()

    @contextmanager
    def _introduced(self, member: Member) -> Iterator[None]:
        """Put *member* out where an error keeps it from being introduced.

        It would be waited for by whoever asks next; another one meets the same.
        """
        try:
            yield
        except BaseException:
            if not member.ready:
                self._put_out(member)
            raise

    def _put_out(self, member: Member) -> None:
        if member in self.members:
            self.members.remove(member)
        self.cluster.end(member.actor)

    def _begin(self) -> None:
        actor = self.cluster.begin(*self._made_as)
        member = Member(actor=actor, since=self._clock())
        self.members.append(member)
        self.send(member, "where")

    def _came_of(self, call: Any, member: Member) -> Done:  # noqa: ANN401
        doing, lot = member.doing, member.lot
        member.call, member.doing, member.lot = None, "", None
        value: Any
        try:
            value = self.cluster.result(call)
        except Lost as lost:
            value = lost
        except VdgError as error:
            if member.node:
                error.args = (f"{error}\n(on node {member.node})",)
            value = error
        return Done(member=member, doing=doing, lot=lot, value=value)

    def _lead_on(self, done: Done) -> None:
        member, value = done.member, done.given
        if done.doing == "where":
            member.node = value
            self.send(member, "introduce")
        elif done.doing == "introduce":
            self._take_in(value)
            member.ready = True
            if self._whole:
                self.send(member, "load")
        else:
            member.loaded = True
            self._dead_starts = 0

    def _take_in(self, new: Introduction) -> None:
        """Take the first word on the model; refuse one that is about another."""
        other = new.departs(versions_here())
        if other:
            raise CouldNotBeJudged(
                f"node {new.node} and the one where pytest runs would not read videos "
                f"in one way: {'; '.join(other)}. Install the same versions on both"
            )
        self._first = self._first or new
        other = new.differences(self._first)
        if other:
            raise CouldNotBeJudged(
                f"nodes {new.node} and {self._first.node} would not ask the same "
                f"model: {'; '.join(other)}. A run is of one model, asked in one way: "
                "see that both have the same checkpoint, packages and kind of device"
            )

    def _bury(self, done: Done) -> None:
        """Take a dead one out, and begin another in its place."""
        self._put_out(done.member)  # it may live, and only its answer be lost
        self.deaths.append(str(done.value))
        self._dead_starts += done.doing in _START
        if self._dead_starts < DEATHS:
            self._begin()
        elif not any(member.node for member in self.members):
            raise CouldNotBeJudged(
                f"{self._dead_starts} actors in a row died before they could be asked. "
                f"The last one: {done.value}\nSee what the cluster has: ray status, "
                "vdg doctor --executor ray"
            )

    def _require_placed(self) -> None:
        if any(member.node for member in self.members):
            return
        begun = max((member.since for member in self.members), default=0.0)
        if self._clock() - begun < START_S:
            return
        told = f"no actor found a place within {START_S:.0f} s: {self.cluster.told}"
        if self._first is None:
            raise ConfigError(told)
        raise CouldNotBeJudged(f"all actors died, and {told}")
