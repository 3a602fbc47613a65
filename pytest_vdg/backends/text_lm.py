"""`TextLmBackend`: ask a language model that has no eyes, in the same layout.

Apart from `TransformersBackend` because here a video is a mistake: such a model
answers from the text alone, and must never be judged as one that looks away.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_asked import WRITING
from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_families import COMMON, Family
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_place import Placing
from pytest_vdg.backends._lm_checks import refuse_other_kinds
from pytest_vdg.backends.protocol import Reply, Request
from pytest_vdg.backends.transformers import TransformersBackend
from pytest_vdg.errors import BackendError, ConfigError

if TYPE_CHECKING:
    from pytest_vdg.backends._hf_asking import Asking

__all__ = ["TextLmBackend"]

TEXT_ONLY = "text_only"


class TextLmBackend(TransformersBackend):
    """Asks a text-only language model, one request at a time or many together.

    Making one raises `ConfigError` for a checkpoint that takes pictures, or that
    does not write text from left to right; no weight is read for that.
    """

    kind: ClassVar[str] = "text-lm"
    needed: ClassVar[tuple[str, ...]] = ("torch", "transformers", "accelerate")

    @property
    def frames_per_token(self) -> int:
        """One: there are no frames."""
        return 1

    @property
    def _family(self) -> Family:
        """None: there are no frames."""
        return COMMON

    def check_conditions(self, conditions: Sequence[str]) -> None:
        """Raise `ConfigError` for conditions that show a video."""
        others = [each for each in conditions if each != TEXT_ONLY]
        if others:
            raise ConfigError(
                f"{self.name} is a text-only language model (backend {self.kind}): it "
                f"cannot be asked under {', '.join(others)}, and that it answers all "
                f"alike would say nothing of a model that sees. Ask it under "
                f"{TEXT_ONLY} alone: --conditions {TEXT_ONLY}"
            )

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Return the answer to each of *requests*, or its error in its place.

        Raises `ConfigError` if one of them has a clip, before anything is loaded.
        """
        if any(request.clip is not None for request in requests):
            self.check_conditions(("a condition with a video",))
        return super().ask_many(requests)

    def _open(self, folder: Path, adapter: AdapterFiles | None) -> CheckpointFiles:
        settings = self.settings
        files = open_checkpoint(
            folder,
            adapter=adapter,
            allow_pickle=settings.allow_pickle,
            trust_remote_code=settings.trust_remote_code,
            needs_template=False,
        )
        refuse_other_kinds(files)
        return files

    @property
    def _auto(self) -> str:
        return WRITING

    def _read(self, placing: Placing) -> Asking:
        from pytest_vdg.backends._hf_asking import Asking
        from pytest_vdg.backends._lm_inputs import TextBuilder
        from pytest_vdg.backends._lm_load import load_language_model

        loaded = load_language_model(
            self.files,
            dtype=self._asked.dtype,
            placing=placing,
            attention=self.settings.attention,
        )
        return Asking(loaded, self.settings, name=self.name, make_builder=TextBuilder)
