"""`TransformersBackend`: ask a checkpoint in the Hugging Face layout.

Apart from its ``_hf_*`` parts, each about one thing, so that this file shows
the order of events: check the folder, name its content, load, ask, free.
"""

from __future__ import annotations

import importlib.util
import time
import traceback
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_hub import find_folder
from pytest_vdg.backends._hf_machine import (
    NEEDED,
    empty_cuda_cache,
    has_cuda,
    threads,
    torch_has_cuda,
    versions,
)
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends.protocol import BackendIdentity, Prompt, Reply
from pytest_vdg.errors import BackendError, BackendUnavailable, VdgError
from pytest_vdg.frames.clip import Clip

if TYPE_CHECKING:
    from pytest_vdg.backends._hf_load import Loaded

__all__ = ["TransformersBackend", "TransformersSettings"]


class TransformersBackend:
    """Asks one checkpoint about one clip at a time, with batches of one.

    Making one checks the checkpoint's files and imports no heavy package; the
    weights are loaded by the first `ask`.
    """

    def __init__(self, settings: TransformersSettings) -> None:
        """Check that the checkpoint can be asked.

        Raises `ConfigError` for a folder that is no usable checkpoint and
        `BackendUnavailable` where packages are missing. A Hub id that may be
        downloaded is looked at later, by `identity` or `ask`.
        """
        self.settings = settings
        self._loaded: Loaded | None = None
        self._load_error: VdgError | None = None
        for package in NEEDED:
            if importlib.util.find_spec(package) is None:
                raise BackendUnavailable("transformers", package)
        if settings.local_files_only or Path(settings.checkpoint).exists():
            self._files  # noqa: B018 (opens and checks the folder now)

    @property
    def name(self) -> str:
        """Name of the checkpoint's folder, or the Hub id."""
        checkpoint = Path(self.settings.checkpoint).expanduser()
        return checkpoint.resolve().name if checkpoint.exists() else str(checkpoint)

    @property
    def frames_per_token(self) -> int:
        """Frames that the model merges into one visual token in time."""
        return self._files.frames_per_token

    @cached_property
    def identity(self) -> BackendIdentity:
        """What can change an answer, from the files alone.

        Taken once; a checkpoint that is overwritten before its weights are
        loaded is refused by `load`. Imports torch only for device ``auto`` on
        a machine where a GPU may be.
        """
        settings, files = self.settings, self._files
        environment = {
            "backend": "transformers",
            "scoring": settings.scoring,
            "dtype": self._dtype,
            "device": self._device.partition(":")[0],
            "attention": settings.attention or files.attention or "default",
            "quantisation": files.quantisation,
            "trust_remote_code": str(settings.trust_remote_code).lower(),
            "processor": files.processor_digest,
        }
        if settings.scoring == "generate":
            environment["max_new_tokens"] = str(settings.max_new_tokens)
            environment["decoding"] = "greedy"
        return BackendIdentity(
            subject={"weights": files.weights_digest, "config": files.config_digest},
            environment=environment,
            versions=versions(),
        )

    def load(self) -> None:
        """Load processor and weights, once; `ask` does so by itself.

        Raises `BackendError` saying why the checkpoint does not load, and the
        same again without trying anew when it is called again.
        """
        if self._loaded is not None:
            return
        if self._load_error is not None:
            raise self._load_error
        try:
            self._loaded = self._load()
        except VdgError as error:
            self._load_error = error
            raise

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Ask *prompt* about *clip* (None: no video at all).

        Raises `BackendError` if there is no answer, whatever the reason, and
        `VideoNotConsumed` if the video does not reach the model.
        """
        self.load()
        assert self._loaded is not None
        try:
            with threads(self.settings.threads):
                return self._ask(self._loaded, prompt, clip)
        except VdgError:
            raise
        except Exception as error:  # received by the engine, as a failed cell
            raise self._as_backend_error(error) from error

    def close(self) -> None:
        """Free the weights; a later `ask` loads them again."""
        self._loaded = None
        empty_cuda_cache()

    @cached_property
    def _files(self) -> CheckpointFiles:
        settings = self.settings
        folder = find_folder(
            str(settings.checkpoint),
            revision=settings.revision,
            local_files_only=settings.local_files_only,
            allow_pickle=settings.allow_pickle,
            trust_remote_code=settings.trust_remote_code,
        )
        files = open_checkpoint(
            folder,
            allow_pickle=settings.allow_pickle,
            trust_remote_code=settings.trust_remote_code,
        )
        files.opened_stamp  # noqa: B018 (taken now, compared by `load`)
        return files

    @cached_property
    def _dtype(self) -> str:
        asked = self.settings.dtype
        return self._files.dtype if asked == "auto" else asked

    @cached_property
    def _device(self) -> str:
        if self.settings.device != "auto":
            return self.settings.device
        return "cuda" if has_cuda() else "cpu"

    def _load(self) -> Loaded:
        from pytest_vdg.backends._hf_load import load_checkpoint

        self.identity  # noqa: B018 (named before its weights are read)
        if self._files.stamp() != self._files.opened_stamp:
            raise BackendError(
                f"{self._files.folder} was changed after this run began, so its "
                "answers would be filed under other weights. Start the run again."
            )
        if self._device.startswith("cuda") and not torch_has_cuda():
            raise BackendError(f"device {self._device!r} was asked for; torch has none")
        try:
            return load_checkpoint(
                self._files,
                dtype=self._dtype,
                device=self._device,
                attention=self.settings.attention,
            )
        except VdgError:
            raise
        except Exception as error:  # received by whoever asked first
            raise self._as_backend_error(error) from error

    def _ask(self, loaded: Loaded, prompt: Prompt, clip: Clip | None) -> Reply:
        from pytest_vdg.backends._hf_inputs import build_inputs
        from pytest_vdg.backends._hf_scoring import choose, generate

        inputs = build_inputs(loaded, prompt.text, clip)
        start = time.perf_counter()
        probabilities, mass = None, None
        if self.settings.scoring == "choice":
            choice = choose(loaded, inputs, prompt.labels)
            text = choice.best
            probabilities, mass = choice.probabilities, choice.label_mass
        else:
            text = generate(loaded, inputs, self.settings.max_new_tokens)
        return Reply(
            text=text,
            probabilities=probabilities,
            label_mass=mass,
            frames_seen=inputs.frames_seen,
            visual_tokens=inputs.visual_tokens,
            prompt_tokens=inputs.prompt_tokens,
            input_digest=inputs.digest,
            seconds=time.perf_counter() - start,
        )

    def _as_backend_error(self, error: Exception) -> BackendError:
        """Say shortly what happened, and let go of the tensors in the frames."""
        from pytest_vdg.backends._hf_load import short_reason

        traceback.clear_frames(error.__traceback__)
        if "OutOfMemory" in type(error).__name__:
            empty_cuda_cache()
        return BackendError(f"{self.name} gave no answer: {short_reason(error)}")
