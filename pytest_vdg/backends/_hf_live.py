"""`LiveBackend`: ask a model that is in memory already, such as one in training.

Apart from the backend of a checkpoint because there is no file to name the
weights by: two answers of a live model are never taken for each other's.
"""

from __future__ import annotations

import copy
import json
import tempfile
import uuid
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_vdg.backends._hf_asking import Asking
from pytest_vdg.backends._hf_families import family_of
from pytest_vdg.backends._hf_files import GENERATION_KEYS, CheckpointFiles
from pytest_vdg.backends._hf_load import Model, Processor, ready
from pytest_vdg.backends._hf_machine import empty_cuda_cache, threads, versions
from pytest_vdg.backends._hf_processor import require_video
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends.protocol import BackendIdentity, Prompt, Reply, Request
from pytest_vdg.backends.work import Work
from pytest_vdg.errors import BackendError, ConfigError
from pytest_vdg.frames.clip import Clip

LIVE = "live:"
"""What the weights of a model that lies in no file are called, with a number."""


class LiveBackend:
    """Asks *model* as it is now; made anew for each moment that it is asked at.

    Ask it inside `aside`: the model must be in evaluation mode, and what is set
    on it is left for that to put back.
    """

    def __init__(
        self,
        model: Model,
        processor: Processor,
        settings: TransformersSettings,
        *,
        autocast: str | None = None,
    ) -> None:
        """Look at *model* and *processor*, which is copied; ask nothing.

        *settings* say how to ask; their ``checkpoint`` is the name, and the model
        decides device, dtype and attention. *autocast* is the dtype that the
        training computes in, where that is another one than the weights'.

        Raises `ConfigError` for a model whose weights are divided between
        processes, and for a processor that takes no videos.
        """
        refuse_sharded(model)
        self.settings = settings
        self.name = str(settings.checkpoint)
        self._model = unwrapped(model)
        self._processor = copy.deepcopy(processor)
        self._autocast = autocast
        self._weights = f"{LIVE}{uuid.uuid4().hex}"
        self._asking: Asking | None = None
        kind = getattr(self._model.config, "model_type", None)
        self._family = family_of(kind, settings.frames_as)
        require_video(self._processor, self.name, self._family)

    @cached_property
    def identity(self) -> BackendIdentity:
        """What can change an answer, named as for the checkpoint once it is saved.

        Weights aside: these have a name that no other moment has.
        """
        settings, told, model = self.settings, self._told, self._model
        environment = {
            "backend": "transformers",
            **settings.scored,
            "dtype": str(model.dtype).removeprefix("torch."),
            "device": str(model.device).partition(":")[0],
            "attention": _attention(model),
            "quantisation": told["quantisation"],
            "trust_remote_code": str(settings.trust_remote_code).lower(),
            "processor": told["processor"],
        }
        if self._family.departs:
            environment["family"] = self._family.departs
        if self._autocast is not None:
            environment["autocast"] = self._autocast
        return BackendIdentity(
            subject={"weights": self._weights, "config": told["config"]},
            environment=environment,
            versions=versions(),
        )

    @property
    def frames_per_token(self) -> int:
        """Frames that the model merges into one visual token in time."""
        return self._family.merged(int(self._told["frames_per_token"]))

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Ask *prompt* about *clip*; errors are those of a checkpoint's backend."""
        answer = self.ask_many([Request(prompt=prompt, clip=clip)])[0]
        if isinstance(answer, BackendError):
            raise answer
        return answer

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Return the answer to each of *requests*, or its error in its place."""
        if self._asking is None:
            loaded = ready(
                self._model, self._processor, self._family, self.frames_per_token
            )
            self._asking = Asking(loaded, self.settings, name=self.name)
        with threads(self.settings.threads), self._computing():
            return self._asking.replies(requests)

    @property
    def sharing(self) -> str:
        """What prompts share, or why they share nothing, in words."""
        return "not loaded" if self._asking is None else self._asking.sharing

    @property
    def work(self) -> Work:
        """What was computed for the answers."""
        return Work() if self._asking is None else self._asking.work

    def forget(self) -> None:
        """Let go of what was read of prompts."""
        if self._asking is not None:
            self._asking.forget()

    def close(self) -> None:
        """Let go of all but the model, which is not ours."""
        if self._asking is not None:
            self._asking = None
            empty_cuda_cache()

    def _computing(self) -> AbstractContextManager[object]:
        if self._autocast is None:
            return nullcontext()
        import torch

        kind = str(self._model.device).partition(":")[0]
        context: AbstractContextManager[object] = torch.autocast(
            kind, dtype=getattr(torch, self._autocast)
        )
        return context

    @cached_property
    def _told(self) -> dict[str, str]:
        """What the files of model and processor would tell, were they saved."""
        with tempfile.TemporaryDirectory(prefix="vdg-") as folder:
            self._model.config.save_pretrained(folder)
            stop = getattr(self._model, "generation_config", None)
            if stop is not None:  # by hand: what is odd in it is not saved otherwise
                written = {key: getattr(stop, key, None) for key in GENERATION_KEYS}
                path = Path(folder) / "generation_config.json"
                path.write_text(json.dumps(written), encoding="utf-8")
            self._processor.save_pretrained(folder)
            files = CheckpointFiles(Path(folder), (), False, False)
            return {
                "config": files.config_digest,
                "processor": files.processor_digest,
                "quantisation": files.quantisation,
                "frames_per_token": str(files.frames_per_token),
            }


def unwrapped(model: Model) -> Model:
    """Return the model itself, without what trains it on several devices."""
    while True:
        inner = getattr(model, "_orig_mod", None)  # of torch.compile
        if inner is None and type(model).__name__ in (
            "DistributedDataParallel",
            "DataParallel",
        ):
            inner = model.module
        if inner is None:
            break
        model = inner
    # Adapters live in the base model's layers; learnt prompts do not.
    learnt = getattr(
        getattr(model, "active_peft_config", None), "is_prompt_learning", False
    )
    if hasattr(model, "get_base_model") and not learnt:
        return model.get_base_model()
    return model


def refuse_sharded(model: Model) -> None:
    """Raise `ConfigError` where no process holds the whole of *model*."""
    found = _sharding(model)
    if found:
        raise ConfigError(
            f"the model's weights are divided between processes ({found}), so that no "
            "process can ask it alone while the others train.\nLet `vdg watch` judge "
            "the checkpoints that the training saves, or train with plain data "
            "parallelism (DDP)"
        )


def _sharding(model: Model) -> str:
    for module in model.modules():
        kinds = {kind.__name__ for kind in type(module).__mro__}
        if kinds & {"FullyShardedDataParallel", "FSDPModule"}:
            return "FSDP"
    for parameter in model.parameters():
        if hasattr(parameter, "ds_id"):
            return "DeepSpeed ZeRO-3"
        if "DTensor" in {kind.__name__ for kind in type(parameter).__mro__}:
            return "FSDP or tensor parallelism"
        if parameter.device.type == "meta":
            return "offloaded"
    return ""


def _attention(model: Any) -> str:  # noqa: ANN401
    """Return the attention implementation, as a checkpoint that names none has it."""
    used = getattr(model.config, "_attn_implementation", None)
    usual = "sdpa" if getattr(model, "_supports_sdpa", False) else "eager"
    return "default" if used in (None, usual) else str(used)
