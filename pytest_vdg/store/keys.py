"""The key of a cell: one digest over everything that can change its answer.

Apart from the store so that what counts as "the same cell" is one list, read
in one place, and tested field by field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields

SCHEMA = 1
"""Raised whenever keys change their meaning: old answers are then not found.

Not the layout of the file that keeps them, which has a version of its own."""


@dataclass(frozen=True, kw_only=True)
class KeyParts:
    """All that can change the answer of one cell.

    Without a video (``text_only``) the parts that describe one are None: the
    answer does not depend on them, and survives a change of frames.
    """

    subject: Mapping[str, str]
    """Weights and whatever else is under test."""
    environment: Mapping[str, str]
    """Backend, scoring, dtype, attention, quantisation, processor ..."""
    versions: Mapping[str, str]
    """Versions of the backend's packages, the readers' and our own."""
    question_id: str
    """Seeds the condition's random choices."""
    prompt: str
    instruction: str
    labels: tuple[str, ...]
    option_texts: tuple[str, ...]
    condition: str
    """Spec of the condition, e.g. ``single_frame:middle``."""
    seed: int
    block: int
    """Frames that the model merges into one visual token."""
    video: str | None
    """Content digest of the video file."""
    partner: str | None
    """Content digest of the other video that ``mismatched`` shows."""
    sampling: str | None
    size: tuple[int, int] | None
    """Height and width that frames are resized to; None: as in the file."""
    reader: str | None
    """Which reader was asked for."""
    excerpt: str = ""
    """Part of the video that is shown; empty for all of it."""
    partner_excerpt: str = ""
    """Part of the other video; empty for all of it."""
    encoder: str = ""
    """Encoder and its settings, for ``compressed``; empty where nothing is encoded."""


def cell_key(parts: KeyParts) -> str:
    """Return the SHA-256 hex digest of *parts* as canonical JSON."""
    plain = {f.name: getattr(parts, f.name) for f in fields(parts)}
    plain["schema"] = SCHEMA
    for later in ("excerpt", "partner_excerpt", "encoder"):
        # Answers from before there were any keep their keys.
        if not plain[later]:
            del plain[later]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
