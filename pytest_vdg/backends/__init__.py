"""Ways to ask a model about a clip: one protocol, one file for each way.

Apart from the engine so that a new way is one file and one registry line. The
heavy packages are imported inside functions, never by importing this package.
"""

from __future__ import annotations

from pytest_vdg.backends.protocol import Backend, BackendIdentity, Prompt, Reply
from pytest_vdg.backends.registry import make_backend
from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings

__all__ = [
    "Backend",
    "BackendIdentity",
    "Prompt",
    "Reply",
    "ScriptedBackend",
    "TransformersBackend",
    "TransformersSettings",
    "make_backend",
]
