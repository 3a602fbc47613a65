"""`asked_digest`: what makes a checkpoint be judged anew, in sixteen letters.

Apart from watching because it goes through all that an answer or a verdict can
depend on: whatever is left out here is judged once and never again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from pytest_vdg.config.claims import ClaimSpec
from pytest_vdg.errors import VdgError
from pytest_vdg.sessions.asks import named_slice
from pytest_vdg.sessions.baseline import baseline_path
from pytest_vdg.sessions.claims import ask_of
from pytest_vdg.sessions.judging import broken_told
from pytest_vdg.sessions.session import VdgSession

_OF_CLAIM = ("assertion", "slice", "conditions", "questions", "tasks", "seed")
_OF_CONFIG = (
    *("instruction", "template", "sampling", "reader", "caps", "on_bad_media"),
    *("attention", "frames_as", "quantisation", "option_likelihood", "max_new_tokens"),
)
"""What of a configuration, beside settings and slices, changes what is asked."""


def asked_digest(session: VdgSession, claims: Mapping[str, ClaimSpec]) -> str:
    """Return a digest of what is asked and claimed, wherever it is written.

    A checkpoint that was judged so is not judged so again: the questions and the
    baselines behind the claims are part of it, by their content, and so is another
    checkpoint that is the baseline.
    """
    settings = session.settings
    config = settings.config
    claimed = [
        (name, [getattr(c, each) for each in _OF_CLAIM], sorted(c.arguments.items()))
        for name, c in sorted(claims.items())
    ]
    slices = [
        (name, replace(spec, path=None, videos=None, pinned=None))
        for name, spec in sorted(config.slices.items())
    ]
    said = [settings.where[n].value for n in ("backend", "device", "dtype", "scoring")]
    parts = [
        claimed,
        slices,
        said,
        (settings.questions, settings.seed, settings.compare_to, settings.environment),
        [getattr(config, name) for name in _OF_CONFIG],
        [_content(session, spec) for _, spec in sorted(claims.items())],
        _weights_of_other(session) if any(c.compares for c in claims.values()) else "",
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _content(session: VdgSession, spec: ClaimSpec) -> tuple[str, str, str]:
    """Return digests of the questions and of the baseline that *spec* is about."""
    ask, settings = ask_of(spec), session.settings
    try:
        slice_ = session.slice(ask)
        questions = slice_.digest, slice_.benchmark.digest
    except VdgError:
        questions = "", ""  # it cannot be judged, and is tried again
    if not spec.compares or settings.compare_to is not None:
        return *questions, ""
    path = baseline_path(settings, named_slice(settings, ask))
    try:
        recorded = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        recorded = ""
    return *questions, recorded


def _weights_of_other(session: VdgSession) -> tuple[str, str]:
    """Return the weights of the checkpoint that is the baseline; empty without one.

    Trained on under its name it is another baseline. Where weights are not known,
    as a server's, they are taken to be the same as long as answers are.
    """
    settings = session.settings
    if settings.compare_to is None or settings.replay is not None:
        return "", ""
    # What cannot be asked is no baseline: nothing is judged, and all is tried again.
    with suppress(VdgError), broken_told():
        other = settings.compared.locate()
        backend = session.new_backend(str(other), fetch=False)
        try:
            identity = backend.identity
        finally:
            backend.close()
        return identity.subject.get("weights", ""), identity.reuse
    return "", ""
