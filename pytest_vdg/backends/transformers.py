"""`TransformersBackend`: ask a checkpoint in the Hugging Face layout.

Apart from its ``_hf_*`` parts, each about one thing, so that this file shows
the order of events: check the folder, name its content, load, ask, free.
"""

from __future__ import annotations

import gc
import importlib.util
import traceback
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_asked import Asked, auto_class
from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_families import Family, family_of
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_imports import import_libraries
from pytest_vdg.backends._hf_machine import (
    NEEDED,
    empty_cuda_cache,
    has_cuda,
    threads,
    torch_has_cuda,
    versions,
)
from pytest_vdg.backends._hf_open import Opened, may_fetch, open_files
from pytest_vdg.backends._hf_place import Placing, placing_of
from pytest_vdg.backends._hf_quantise import refuse_quantised, require_package
from pytest_vdg.backends._hf_room import Memory, memory_of
from pytest_vdg.backends._hf_said import short_reason
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends.protocol import BackendIdentity, Prompt, Reply, Request
from pytest_vdg.backends.work import Work
from pytest_vdg.errors import BackendError, BackendUnavailable, VdgError
from pytest_vdg.frames.clip import Clip

if TYPE_CHECKING:
    from pytest_vdg.backends._hf_asking import Asking

__all__ = ["TransformersBackend", "TransformersSettings"]


class TransformersBackend:
    """Asks one checkpoint, one request at a time or many together.

    Making one checks the checkpoint's files and imports no heavy package; the
    weights are loaded by the first `ask`. What differs for another kind of model
    is in `kind`, `needed`, `_open` and `_read`.
    """

    kind: ClassVar[str] = "transformers"
    """Name of the backend."""
    needed: ClassVar[tuple[str, ...]] = NEEDED
    """Packages without which it cannot ask."""

    def __init__(self, settings: TransformersSettings) -> None:
        """Check that the checkpoint can be asked.

        Raises `ConfigError` for a folder that is no usable checkpoint and
        `BackendUnavailable` where packages are missing. A Hub id that may be
        downloaded is looked at later, by `identity` or `ask`.
        """
        self.settings = settings
        self._asking: Asking | None = None
        self._load_error: VdgError | None = None
        self._place: Placing | None = None
        for package in self.needed:
            if importlib.util.find_spec(package) is None:
                raise BackendUnavailable(self.kind, package)
        if settings.quantisation is not None:
            require_package(self.kind)
        if not may_fetch(settings):
            self._opened  # noqa: B018 (finds and checks the folder now)

    @property
    def name(self) -> str:
        """Name of the checkpoint's folder, or the Hub id."""
        checkpoint = Path(self.settings.checkpoint).expanduser()
        return checkpoint.resolve().name if checkpoint.exists() else str(checkpoint)

    @property
    def files(self) -> CheckpointFiles:
        """What the checkpoint's files tell; found and checked at first need."""
        return self._opened.files

    @property
    def frames_per_token(self) -> int:
        """Frames that the model merges into one visual token in time."""
        return self._family.merged(self.files.frames_per_token)

    @cached_property
    def identity(self) -> BackendIdentity:
        """What can change an answer, from the files alone.

        Taken once; a checkpoint that is overwritten before its weights are
        loaded is refused by `load`. Imports torch only for device ``auto`` on
        a machine where a GPU may be.
        """
        return BackendIdentity(
            subject=self.files.subject,
            environment=self._asked.environment,
            versions=versions(*self._asked.packages),
        )

    @property
    def memory(self) -> Memory:
        """What the model needs and what there is now; no weight is read for it."""
        return memory_of(self._asked)

    def memory_told(self) -> str:
        """Return what `memory` is, in a line."""
        return self.memory.told

    def import_libraries(self) -> None:
        """Import torch and transformers, which `load` does by itself."""
        import_libraries()

    def load(self) -> None:
        """Load processor and weights, once; `ask` does so by itself.

        Raises `BackendError` saying why the checkpoint does not load, and the
        same again without trying anew when it is called again.
        """
        if self._asking is not None:
            return
        if self._load_error is not None:
            raise self._load_error
        try:
            self._asking = self._load()
        except VdgError as error:
            self._load_error = error
            raise

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Ask *prompt* about *clip* (None: no video at all).

        Raises `BackendError` if there is no answer, whatever the reason, and
        `VideoNotConsumed` if the video does not reach the model.
        """
        answer = self.ask_many([Request(prompt=prompt, clip=clip)])[0]
        if isinstance(answer, BackendError):
            raise answer
        return answer

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Return the answer to each of *requests*, or its error in its place.

        What prompts have in common is read once where the model allows it; no
        answer depends on what it is asked together with, but for the rounding
        of the dtype. Raises `VideoNotConsumed` if the video does not reach the
        model, and `BackendError` if the checkpoint does not load.
        """
        self.load()
        assert self._asking is not None
        with threads(self.settings.threads):
            return self._asking.replies(requests)

    def prepare_many(self, requests: Sequence[Request]) -> None:
        """Begin to make the inputs of *requests*, which `ask_many` is given later.

        Returns at once; they are made while the model reads what is asked before
        them. Whatever stands in the way is told when they are asked.
        """
        if self._asking is not None:
            self._asking.begin(requests)

    @property
    def sharing(self) -> str:
        """What prompts share, or why they share nothing, in words."""
        return "not loaded" if self._asking is None else self._asking.sharing

    @property
    def observed(self) -> dict[str, str]:
        """Which commits and which base were found, once the files were opened."""
        opened: Opened | None = vars(self).get("_opened")
        return {} if opened is None else opened.observed

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should hear at the end: what may move, or be short or slow."""
        opened: Opened | None = vars(self).get("_opened")
        told = () if opened is None else opened.notes
        return told if self._place is None else (*told, *self._place.notes)

    @property
    def work(self) -> Work:
        """What was computed since the weights were loaded."""
        return Work() if self._asking is None else self._asking.work

    def forget(self) -> None:
        """Let go of what was read of prompts; the weights stay."""
        if self._asking is not None:
            self._asking.forget()

    def close(self) -> None:
        """Free the weights; a later `ask` loads them again."""
        self.forget()
        if self._asking is not None:
            self._asking = None
            # A model that was laid over devices is part of a circle of its hooks.
            gc.collect()
        empty_cuda_cache()

    @cached_property
    def _opened(self) -> Opened:
        opened = open_files(self.settings, self._open)
        if method := self.settings.quantisation:
            refuse_quantised(opened.files.folder, method, opened.files.quantisation)
        opened.files.opened_stamp  # noqa: B018 (taken now, compared by `load`)
        return opened

    def _open(self, folder: Path, adapter: AdapterFiles | None) -> CheckpointFiles:
        """Check *folder*, with *adapter* on top; raises `ConfigError`."""
        return open_checkpoint(
            folder,
            adapter=adapter,
            allow_pickle=self.settings.allow_pickle,
            trust_remote_code=self.settings.trust_remote_code,
        )

    @cached_property
    def _family(self) -> Family:
        """How this checkpoint is shown frames."""
        kind = self.files.config.get("model_type")
        return family_of(kind, self.settings.frames_as)

    @property
    def _auto(self) -> str:
        """Auto class of the model."""
        return auto_class(self.files)

    @cached_property
    def _asked(self) -> Asked:
        return Asked(
            kind=self.kind,
            name=self.name,
            files=self.files,
            settings=self.settings,
            family=self._family,
            device=self._device,
            auto=self._auto,
        )

    @cached_property
    def _device(self) -> str:
        if self.settings.device != "auto":
            return self.settings.device
        return "cuda" if has_cuda() else "cpu"

    def _load(self) -> Asking:
        import_libraries()
        self.identity  # noqa: B018 (named before its weights are read)
        if self.files.stamp() != self.files.opened_stamp:
            raise BackendError(
                f"{self.files.title} was changed after this run began, so its "
                "answers would be filed under other weights. Start the run again."
            )
        if self._device.startswith("cuda") and not torch_has_cuda():
            raise BackendError(f"device {self._device!r} was asked for; torch has none")
        empty_cuda_cache()
        try:
            self._place = placing_of(self.memory)
            return self._read(self._place)
        except VdgError:
            raise
        except Exception as error:  # received by whoever asked first
            raise self._as_backend_error(error) from error

    def _read(self, placing: Placing) -> Asking:
        """Read the weights, as *placing* says, and return what asks them."""
        from pytest_vdg.backends._hf_asking import Asking
        from pytest_vdg.backends._hf_load import load_checkpoint

        loaded = load_checkpoint(
            self.files,
            self._family,
            dtype=self._asked.dtype,
            placing=placing,
            attention=self.settings.attention,
        )
        return Asking(loaded, self.settings, name=self.name)

    def _as_backend_error(self, error: Exception) -> BackendError:
        """Say shortly what happened, and let go of the tensors in the frames."""
        traceback.clear_frames(error.__traceback__)
        return BackendError(f"{self.name} gave no answer: {short_reason(error)}")
