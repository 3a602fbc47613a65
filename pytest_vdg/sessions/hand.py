"""`Hand`: asks lots of a run in a process of its own, and says where and by what.

Apart from whatever starts that process and talks to it, so that what an actor of a
cluster does can be seen, and tested, without a cluster.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_vdg.backends.protocol import Backend, BackendIdentity, Prompt, Reply
from pytest_vdg.backends.registry import make_backend
from pytest_vdg.engine.asking import check_conditions, load, observed
from pytest_vdg.engine.footage import digests
from pytest_vdg.engine.hands import Handed, Lot
from pytest_vdg.engine.identity import RunIdentity, own_versions
from pytest_vdg.engine.job import Job
from pytest_vdg.engine.plan import parse_conditions
from pytest_vdg.engine.recall import cell_keys
from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import encoding
from pytest_vdg.frames.decoding import Decoders
from pytest_vdg.frames.shelf import Stamp, stamp


@dataclass(frozen=True, kw_only=True)
class Introduction:
    """Who asks, as far as it must be the same on every node."""

    node: str
    name: str
    identity: BackendIdentity
    frames_per_token: int
    versions: Mapping[str, str]
    """What the package itself brings to a run: its own version, readers, encoder."""

    def differences(self, other: Introduction) -> tuple[str, ...]:
        """Return what of the model is not as in *other*, as ``name: own and other``."""
        return _differences(self._model(), other._model())

    def _model(self) -> dict[str, str]:
        own = self.identity
        return {
            "name": self.name,
            "frames_per_token": str(self.frames_per_token),
            "reuse": own.reuse,
            **own.subject,
            **own.environment,
            **own.versions,
            **self.versions,
        }

    def departs(self, here: Mapping[str, str]) -> tuple[str, ...]:
        """Return which versions differ from those *here*, where the run is planned."""
        return _differences(self.versions, here)


def _differences(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[str, ...]:
    names = sorted(one.keys() | other.keys())
    pairs = ((n, one.get(n, "none"), other.get(n, "none")) for n in names)
    return tuple(f"{n}: {a} and {b}" for n, a, b in pairs if a != b)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a backend tells of itself, as it is now."""

    notes: tuple[str, ...] = ()
    observed: Mapping[str, str] = field(default_factory=dict)
    sharing: str = ""


def versions_here() -> dict[str, str]:
    """Return what this process brings to a run besides the model's packages."""
    found = own_versions()
    with suppress(ConfigError):  # no encoder: conditions that need it say so
        found["encoder"] = encoding()
    return found


class Hand:
    """One model, asked lot by lot; what reads the videos is held between lots."""

    def __init__(self, backend: str, settings: Mapping[str, object]) -> None:
        """Make nothing yet: what stands in the way is an answer to the first call."""
        self._named = backend
        self._settings = settings
        self._made: Backend | None = None
        self._decoders: Decoders | None = None
        self._read_as: object = None
        self._digests: dict[Path, tuple[Stamp, str]] = {}

    @property
    def backend(self) -> Backend:
        """The backend, made at first need; raises what making it raises."""
        if self._made is None:
            self._made = make_backend(self._named, self._settings)
        return self._made

    def introduce(self) -> Introduction:
        """Return who is asked here; no weight is loaded."""
        return Introduction(
            node=platform.node(),
            name=self.backend.name,
            identity=_plain(self.backend.identity),
            frames_per_token=self.backend.frames_per_token,
            versions=versions_here(),
        )

    def check_conditions(self, conditions: Sequence[str]) -> None:
        """Raise `ConfigError` for *conditions* that cannot be asked under here."""
        check_conditions(self.backend, parse_conditions(conditions))

    def load(self) -> None:
        """Load what the first answer takes, where the backend offers to."""
        load(self.backend)

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Ask one question, as `Backend.ask` does."""
        return self.backend.ask(prompt, clip)

    def answer(self, lot: Lot) -> tuple[Handed, Told]:
        """Ask all of *lot* that is not known; nothing is kept here."""
        # When a run is given up is for whoever sees all of it to say.
        settings = replace(lot.settings, give_up_after=sys.maxsize)
        identity = RunIdentity.of(self.backend, settings)
        content = self._content(lot.plan.paths)
        keys = cell_keys(lot.plan, identity, content)
        job = Job(
            plan=lot.plan,
            backend=self.backend,
            settings=settings,
            identity=identity,
            keys=keys,
            kept=dict(lot.kept),
            decoders=self._reading(lot),
            store=None,
            progress=None,
            digests=content,
        )
        job.run()
        asked = {k: c for k, c in job.cells.items() if k not in lot.kept}
        broken = [(c.question_id, c.condition) for c in job.patience.failures]
        handed = Handed(
            videos=tuple(video.video for video in lot.plan.videos),
            cells=tuple(asked.values()),
            broken=broken,
            node=platform.node(),
            digests={name: content.get(name, "") for name in lot.plan.paths},
            keys={place: keys[place] for place in asked if place in keys},
        )
        return handed, self.told()

    def told(self) -> Told:
        """Return what the backend tells of itself by now."""
        return Told(
            notes=tuple(getattr(self.backend, "notes", ())),
            observed=dict(observed(self.backend)),
            sharing=getattr(self.backend, "sharing", ""),
        )

    def close(self) -> None:
        """Free the model and end what reads; may be called twice."""
        if self._decoders is not None:
            self._decoders.close()
        if self._made is not None:
            self._made.close()
        self._decoders = self._made = None

    def _reading(self, lot: Lot) -> Decoders:
        given = lot.settings
        wanted = {
            "sampling": given.sampling,
            "reader": given.reader,
            "workers": given.decode_workers,
            "timeout_s": given.decode_timeout_s,
        }
        if self._decoders is None or self._read_as != wanted:
            if self._decoders is not None:
                self._decoders.close()
            self._decoders = Decoders(**wanted)  # type: ignore[arg-type]
            self._read_as = wanted
        return self._decoders

    def _content(self, paths: Mapping[str, Path]) -> dict[str, str]:
        """Return the digests of the videos at *paths*; an unchanged file's once."""
        now = {name: stamp(path) for name, path in paths.items()}
        known = {
            name: self._digests[path][1]
            for name, path in paths.items()
            if path in self._digests and self._digests[path][0] == now[name]
        }
        found = digests({n: path for n, path in paths.items() if n not in known})
        for name, digest in found.items():
            seen = now[name]
            if seen is not None:
                self._digests[paths[name]] = seen, digest
        return known | found


def _plain(identity: BackendIdentity) -> BackendIdentity:
    """Return *identity* as plain values, whatever mappings a backend made it of."""
    return replace(
        identity,
        subject=dict(identity.subject),
        environment=dict(identity.environment),
        versions=dict(identity.versions),
    )
