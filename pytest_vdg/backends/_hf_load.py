"""Load processor and weights with the Auto classes; refuse half a model.

The one place where the untyped objects of transformers come in; all that is
done with them later goes through `Loaded`.
"""

from __future__ import annotations

import inspect
import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_adapter import add_adapter, refuse_offloaded
from pytest_vdg.backends._hf_asked import SEEING, auto_class
from pytest_vdg.backends._hf_families import COMMON, Family
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_place import (
    Placing,
    first_device,
    place_model,
    with_room_on_disk,
)
from pytest_vdg.backends._hf_processor import require_video
from pytest_vdg.backends._hf_said import short_reason, some
from pytest_vdg.errors import BackendError, ConfigError

# transformers builds these by name at run time, so no type says what they are.
Processor = Any
Tokenizer = Any
Model = Any
Tensor = Any
Device = Any
Library = Any

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A processor and a model, ready to be asked."""

    processor: Processor
    """From ``AutoProcessor``; has ``tokenizer`` and, but for language models,
    what takes the frames."""
    model: Model
    """From an Auto class, in evaluation mode."""
    device: Device
    """``torch.device`` that inputs belong on: the model's first one."""
    frames_per_token: int
    """Frames that the model merges into one visual token in time."""
    forward_options: Mapping[str, Any]
    """Keyword arguments of one forward pass that save memory."""
    family: Family = COMMON
    """What is special about models of this kind."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The processor's tokenizer."""
        return self.processor.tokenizer


def load_checkpoint(
    files: CheckpointFiles,
    family: Family,
    *,
    dtype: str,
    placing: Placing,
    attention: str | None,
) -> Loaded:
    """Load what *files* hold as *placing* says; raise `BackendError` saying why not.

    *family* says how the model is shown frames.
    """
    processor = _load_processor(files)
    require_video(processor, files.processor_folder, family)
    if not family.tested:
        kind = files.config.get("model_type")
        _log.warning(
            "models of type %r are asked, but were never tested with frames as %s",
            kind,
            family.frames_as,
        )
    model = load_model(
        files, dtype=dtype, placing=placing, attention=attention, auto=auto_class(files)
    )
    return ready(model, processor, family, files.frames_per_token)


def load_model(
    files: CheckpointFiles,
    *,
    dtype: str,
    placing: Placing,
    attention: str | None,
    auto: str = SEEING,
) -> Model:
    """Return the weights of *files*, placed, in the model that *auto* makes.

    It is in evaluation mode. Raises `BackendError` saying why there is none.
    """
    if files.adapter is not None and placing.offloaded:
        refuse_offloaded(files.adapter)
    how = {} if attention is None else {"attn_implementation": attention}
    how |= placing.options(dtype)
    model = with_room_on_disk(
        placing, lambda more: _load_model(files, dtype, {**how, **more}, auto)
    )
    model = place_model(model, placing.device)
    if files.adapter is not None:
        with _without_bars():
            add_adapter(model, files, files.adapter)
    used = getattr(model.config, "_attn_implementation", None)
    if attention is not None and used != attention:
        raise ConfigError(
            f"attention {attention!r} was asked for, {files.folder} runs with "
            f"{used!r}: its config.json or transformers decides otherwise.\n"
            f"Set: attention: {used}"
        )
    model.eval()
    return model


def ready(
    model: Model, processor: Processor, family: Family, frames_per_token: int = 1
) -> Loaded:
    """Return *model*, in evaluation mode, and *processor* as they are asked.

    Both are changed: what would sample, or pad on the wrong side, is set right.
    *frames_per_token* are those that the model merges in a video.
    """
    processor.tokenizer.padding_side = "left"
    model.generation_config = greedy_config(model, processor.tokenizer)
    accepted = inspect.signature(model.forward).parameters
    options = {"logits_to_keep": 1, "use_cache": False}
    return Loaded(
        processor=processor,
        model=model,
        device=first_device(model),
        frames_per_token=family.merged(frames_per_token),
        forward_options={k: v for k, v in options.items() if k in accepted},
        family=family,
    )


def greedy_config(model: Model, tokenizer: Tokenizer) -> object:
    """Return a greedy generation configuration that keeps only the stop tokens.

    A checkpoint's own sampling, penalties and forced tokens would be merged
    into whatever is passed to ``generate``, so its configuration is replaced.
    """
    saved = model.generation_config
    stop = saved.eos_token_id if saved is not None else None
    stop = tokenizer.eos_token_id if stop is None else stop
    first_stop = stop[0] if isinstance(stop, (list, tuple)) and stop else stop
    pad = tokenizer.pad_token_id
    if saved is not None and saved.do_sample:
        _log.info("the checkpoint's own sampling settings are not used: greedy")
    return _transformers().GenerationConfig(
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        eos_token_id=stop,
        pad_token_id=first_stop if pad is None else pad,
        bos_token_id=tokenizer.bos_token_id,
    )


def _transformers() -> Library:
    import transformers

    return transformers


def _load_processor(files: CheckpointFiles) -> Processor:
    try:
        processor = _transformers().AutoProcessor.from_pretrained(
            str(files.processor_folder),
            trust_remote_code=files.remote_code,
            local_files_only=True,
        )
    except Exception as error:  # passed on to whoever asked, as BackendError
        raise BackendError(
            f"the processor of {files.processor_folder} does not load: "
            f"{short_reason(error)}"
        ) from error
    return processor


def _load_model(
    files: CheckpointFiles, dtype: str, how: Mapping[str, Any], auto: str
) -> Model:
    import torch

    try:
        with _without_bars():
            model, info = getattr(_transformers(), auto).from_pretrained(
                str(files.folder),
                dtype=getattr(torch, dtype),
                use_safetensors=not files.weights_are_pickle,
                trust_remote_code=files.remote_code,
                local_files_only=True,
                output_loading_info=True,
                **how,
            )
    except Exception as error:  # passed on to whoever asked, as BackendError
        traceback.clear_frames(error.__traceback__)
        raise BackendError(
            f"the weights of {files.folder} do not load: {short_reason(error)}"
        ) from error
    _refuse_half_a_model(files, info)
    return model


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keep progress bars out of logs; whoever wanted them has them back after."""
    from transformers.utils import logging as hub_logging

    bars: Any = hub_logging  # its functions have no types

    if not bars.is_progress_bar_enabled():
        yield
        return
    bars.disable_progress_bar()
    try:
        yield
    finally:
        bars.enable_progress_bar()


def _refuse_half_a_model(files: CheckpointFiles, info: Mapping[str, Any]) -> None:
    """Raise unless the weights on disk are exactly those of the model.

    transformers only warns, and fills what is missing with random numbers: a
    model without its vision weights then looks like one that went blind.
    """
    for kind, meaning in (
        ("missing_keys", "are missing and would be random"),
        ("mismatched_keys", "have another shape and would be random"),
        ("unexpected_keys", "belong to no part of the model"),
    ):
        names = sorted(map(str, info.get(kind) or ()))
        if names:
            raise BackendError(
                f"{len(names)} weights of {files.folder} {meaning}: {some(names)}"
            )
