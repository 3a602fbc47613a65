"""Which checkpoints are no text-only language models, by their ``config.json``.

Apart from the backend so that each kind of mistake, and where it belongs instead,
stands on one page; nothing here needs torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.errors import ConfigError

_SENSES = ("vision", "visual", "image", "video", "audio")
_ENDS = ("_config", "_token_id", "_token_index", "_tower")
_BOTH_WAYS = ("MaskedLM", "ForPreTraining")
"""Ends of architectures that read a text from both sides."""


def refuse_other_kinds(files: CheckpointFiles) -> None:
    """Raise `ConfigError` for a checkpoint that `text-lm` should not ask.

    A model that can be shown pictures, one that reads the question with an
    encoder of its own, and one that fills gaps instead of writing on.
    """
    folder, config = files.folder, files.config
    sense = next(senses(config), None)
    if sense is not None:
        raise ConfigError(
            f"{folder} takes more than text ({sense} in its config.json), so that "
            "text-lm would only ask a part of it.\nAsk it with backend: transformers, "
            "which shows it no video under text_only (in a panel: --models, not "
            "--text-models)"
        )
    names = config.get("architectures") or ()
    other = next((str(n) for n in names if str(n).endswith(_BOTH_WAYS)), None)
    if config.get("is_encoder_decoder"):
        other = "is_encoder_decoder"
    if other is not None:
        raise ConfigError(
            f"{folder} is no model that continues a text ({other} in its config.json). "
            "text-lm asks decoders, such as Llama, Qwen or Mistral"
        )


def senses(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of *config* that speak of pictures or sound."""
    for key, value in config.items():
        name = key.removeprefix("mm_")
        if value is not None and name.startswith(_SENSES) and name.endswith(_ENDS):
            yield key
    if isinstance(config.get("visual"), Mapping):
        yield "visual"
