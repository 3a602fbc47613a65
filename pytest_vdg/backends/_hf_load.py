"""Load processor and weights with the Auto classes; refuse half a model.

The one place where the untyped objects of transformers come in; all that is
done with them later goes through `Loaded`.
"""

from __future__ import annotations

import inspect
import logging
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_families import COMMON, Family, family_of
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.errors import BackendError, ConfigError

# transformers builds these by name at run time, so no type says what they are.
Processor = Any
Tokenizer = Any
Model = Any
Tensor = Any
Device = Any
Library = Any

_log = logging.getLogger(__name__)

_PIXEL_LIMITS = {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}
"""Limits of pixels by their old names, and by those in a processor's ``size``."""


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
    files: CheckpointFiles, *, dtype: str, device: str, attention: str | None
) -> Loaded:
    """Load what *files* hold onto *device*; raise `BackendError` saying why not."""
    processor = _load_processor(files)
    family = family_of(files.config.get("model_type"))
    require_video(processor, files.folder, family)
    if family is COMMON:
        kind = files.config.get("model_type")
        _log.warning("models of type %r are asked, but were never tested", kind)
    model = load_model(
        files, dtype=dtype, device=device, attention=attention, auto=_auto_class(files)
    )
    return ready(model, processor, files.frames_per_token)


def _auto_class(files: CheckpointFiles) -> str:
    """Return the Auto class under which the checkpoint's model is registered.

    Code of a checkpoint's own often knows only that for language models.
    """
    own = files.config.get("auto_map") if files.remote_code else None
    usual, other = "AutoModelForImageTextToText", "AutoModelForCausalLM"
    return other if own and other in own and usual not in own else usual


def load_model(
    files: CheckpointFiles,
    *,
    dtype: str,
    device: str,
    attention: str | None,
    auto: str = "AutoModelForImageTextToText",
) -> Model:
    """Return the weights of *files* on *device*, in the model that *auto* makes.

    It is in evaluation mode. Raises `BackendError` saying why there is none.
    """
    model = place_model(_load_model(files, dtype, attention, auto), device)
    used = getattr(model.config, "_attn_implementation", None)
    if attention is not None and used != attention:
        raise ConfigError(
            f"attention {attention!r} was asked for, {files.folder} runs with "
            f"{used!r}: its config.json or transformers decides otherwise.\n"
            f"Set: attention: {used}"
        )
    model.eval()
    return model


def ready(model: Model, processor: Processor, frames_per_token: int) -> Loaded:
    """Return *model*, in evaluation mode, and *processor* as they are asked.

    Both are changed: what would sample, or pad on the wrong side, is set right.
    """
    processor.tokenizer.padding_side = "left"
    model.generation_config = greedy_config(model, processor.tokenizer)
    accepted = inspect.signature(model.forward).parameters
    options = {"logits_to_keep": 1, "use_cache": False}
    return Loaded(
        processor=processor,
        model=model,
        device=first_device(model),
        frames_per_token=frames_per_token,
        forward_options={k: v for k, v in options.items() if k in accepted},
        family=family_of(getattr(model.config, "model_type", None)),
    )


def place_model(model: Model, device: str) -> Model:
    """Move *model* to *device*, unless it was dispatched or quantised.

    Such models sit where they must already, and refuse to be moved.
    """
    config = getattr(model, "config", None)
    if getattr(model, "hf_device_map", None) or getattr(model, "is_quantized", False):
        return model
    if getattr(config, "quantization_config", None) is not None:
        return model
    return model.to(device)


def first_device(model: Model) -> Device:
    """Return the device on which *model* takes its inputs."""
    import torch

    device = torch.device(model.device)
    if device.type == "meta" and getattr(model, "hf_device_map", None):
        return torch.device(next(iter(model.hf_device_map.values())))
    return device


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


def short_reason(error: BaseException) -> str:
    """Return type and first line of *error*, bounded in length."""
    first = str(error).strip().partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _transformers() -> Library:
    import transformers

    return transformers


def _load_processor(files: CheckpointFiles) -> Processor:
    try:
        processor = _transformers().AutoProcessor.from_pretrained(
            str(files.folder),
            trust_remote_code=files.remote_code,
            local_files_only=True,
        )
    except Exception as error:  # passed on to whoever asked, as BackendError
        raise BackendError(
            f"the processor of {files.folder} does not load: {short_reason(error)}"
        ) from error
    return processor


def require_video(processor: Processor, where: object, family: Family) -> None:
    """Raise `ConfigError` unless *processor*, of *where*, takes videos as it says."""
    taker = "video_processor" if family.frames_as == "video" else "image_processor"
    for part in ("tokenizer", taker):
        if getattr(processor, part, None) is None:
            raise ConfigError(
                f"{where} cannot be asked about videos: its processor "
                f"({type(processor).__name__}) has no {part.replace('_', ' ')}"
            )
    _refuse_idle_limits(where, getattr(processor, taker))


def _refuse_idle_limits(where: object, part: Processor) -> None:
    """Raise for a limit that *part* of a processor keeps and does not obey.

    transformers stores settings that a processor's class does not know; a
    ``max_pixels`` beside Qwen3-VL's ``size`` then limits nothing.
    """
    kind = type(part)
    known = {
        *getattr(getattr(kind, "valid_kwargs", None), "__annotations__", ()),
        *inspect.signature(kind.__init__).parameters,
        *dir(kind),
    }
    for name, edge in _PIXEL_LIMITS.items():
        asked = vars(part).get(name)
        used = getattr(getattr(part, "size", None), edge, None)
        if name not in known and asked is not None and asked != used:
            raise ConfigError(
                f"{where} sets {name} to {asked} for videos, which "
                f"{kind.__name__} does not obey: it uses {edge} of size, {used}.\n"
                f"Take {name} out, or set size.{edge} in the processor's config."
            )


def _load_model(
    files: CheckpointFiles, dtype: str, attention: str | None, auto: str
) -> Model:
    import torch

    options = {} if attention is None else {"attn_implementation": attention}
    try:
        with _without_bars():
            model, info = getattr(_transformers(), auto).from_pretrained(
                str(files.folder),
                dtype=getattr(torch, dtype),
                use_safetensors=not files.weights_are_pickle,
                trust_remote_code=files.remote_code,
                local_files_only=True,
                output_loading_info=True,
                **options,
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
                f"{len(names)} weights of {files.folder} {meaning}: {_some(names)}"
            )


def _some(names: Iterable[str], limit: int = 3) -> str:
    listed = list(names)
    return ", ".join(listed[:limit]) + (", ..." if len(listed) > limit else "")
