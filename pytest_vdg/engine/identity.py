"""What a run and each of its cells depend on: fingerprint and keys.

Apart from the runner so that the question "may this answer be reused?" is
read in one place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from pytest_vdg.backends.protocol import Backend, BackendIdentity, Prompt
from pytest_vdg.benchmarks.prompts import PromptStyle, render
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.plan import VideoPlan, shows_video
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.conditions import Condition, crf_of, needs_partner, view_of
from pytest_vdg.frames.decode import encoding, reader_versions
from pytest_vdg.runs import Fingerprint
from pytest_vdg.store.cells import Origin
from pytest_vdg.store.keys import KeyParts, cell_key


def prompt_for(question: Question, style: PromptStyle) -> Prompt:
    """Return the prompt of *question*: the same under every condition."""
    return Prompt(
        text=render(question, style),
        labels=question.labels,
        option_texts=tuple(question.texts.values()),
    )


@dataclass(frozen=True, kw_only=True)
class RunIdentity:
    """Who is asked and how: makes the run's fingerprint and its cells' keys."""

    name: str
    backend: BackendIdentity
    block: int
    """Frames that the model merges into one visual token."""
    settings: RunSettings
    versions: dict[str, str]
    """Of the backend's packages, the readers and this package."""

    @classmethod
    def of(cls, backend: Backend, settings: RunSettings) -> RunIdentity:
        """Ask *backend* who it is; nothing is loaded."""
        identity = backend.identity
        return cls(
            name=backend.name,
            backend=identity,
            block=backend.frames_per_token,
            settings=settings,
            versions={**identity.versions, **own_versions()},
        )

    @property
    def scoring(self) -> str:
        """How the backend arrives at a reply, e.g. ``choice``."""
        return self.backend.environment.get("scoring", "")

    def fingerprint(
        self,
        slice_: Slice,
        conditions: Iterable[Condition] = (),
        *,
        observed: Mapping[str, str] | None = None,
    ) -> Fingerprint:
        """Return everything that can change the answers of a run on *slice_*.

        The content of the videos is not in it: each question holds that of its
        own, so that where one is missing the others can still be compared. The
        encoder is, where one of *conditions* compresses; as with all versions, it
        is told where it differs, so that a run that was asked for more than a
        baseline holds can still be compared with it. So is what was *observed* of
        the model while it was asked, such as the name that a server gives it.
        """
        encodes = any(crf_of(condition) is not None for condition in conditions)
        encoder = {"encoder": encoding()} if encodes else {}
        return Fingerprint(
            comparable={
                **self.backend.environment,
                **self.settings.comparable(),
                "frames_per_token": str(self.block),
                "slice": slice_.digest,
            },
            subject={**self.backend.subject, "checkpoint": self.name},
            informative={**self.versions, **encoder, **(observed or {})},
        )

    @property
    def _reuse(self) -> dict[str, str]:
        """What keys hold where answers may not be reused for ever."""
        return {"reuse": self.backend.reuse} if self.backend.reuse else {}

    @property
    def origin(self) -> Origin:
        """Whose the answers are, for whoever looks into the store.

        The setup is what decides how long an answer takes: not the seed, and no
        version, since after an update the old times are the best guess there is.
        """
        size, sampling = self.settings.size, self.settings.sampling.spec()
        setup = [sorted(self.backend.environment.items()), size, sampling, self.block]
        return Origin(
            checkpoint=self.name,
            weights=self.backend.subject.get("weights", ""),
            setup=hashlib.sha256(repr(setup).encode()).hexdigest()[:16],
        )

    def key(
        self,
        video: VideoPlan,
        question: Question,
        condition: Condition,
        digests: Mapping[str, str],
    ) -> str | None:
        """Return the key of a cell; None if a video it shows has no digest.

        *digests* are content digests by video; one that cannot be read has none.
        """
        shown = shows_video(condition)
        digest = digests.get(video.video) if shown else None
        partnered = needs_partner(condition)
        partner = digests.get(video.partner or "") if partnered else None
        if (shown and digest is None) or (partnered and partner is None):
            return None
        prompt = prompt_for(question, self.settings.style)
        view = view_of(condition, self.settings.sampling)
        return cell_key(
            KeyParts(
                subject=self.backend.subject,
                environment=self.backend.environment,
                versions=self.versions | self._reuse,
                question_id=question.id,
                prompt=prompt.text,
                instruction=self.settings.style.instruction,
                labels=prompt.labels,
                option_texts=prompt.option_texts,
                condition=str(condition),
                seed=self.settings.seed,
                block=self.block,
                video=digest,
                partner=partner,
                sampling=view.sampling.spec() if shown else None,
                size=self.settings.size if shown else None,
                reader=self.settings.reader if shown else None,
                excerpt=question.excerpt.spec if shown else "",
                partner_excerpt=video.partner_excerpt.spec if partnered else "",
                encoder="" if view.crf is None else encoding(),
            )
        )


def own_versions() -> dict[str, str]:
    """Return the versions of the readers and of this package."""
    return {**reader_versions(), "pytest-vdg": _own_version()}


def _own_version() -> str:
    try:
        return version("pytest-vdg")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "not installed"
