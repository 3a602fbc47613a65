"""Load tokenizer and weights of a text-only language model.

Apart from `_hf_load`, which does all that both kinds need, because a language
model has a tokenizer where others have a processor around one.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_load import (
    Loaded,
    Tokenizer,
    load_model,
    ready,
    short_reason,
)
from pytest_vdg.errors import BackendError


@dataclass(frozen=True, eq=False)
class TextProcessor:
    """A tokenizer where a processor is expected."""

    tokenizer: Tokenizer


def load_language_model(
    files: CheckpointFiles, *, dtype: str, device: str, attention: str | None
) -> Loaded:
    """Load what *files* hold onto *device*; raise `BackendError` saying why not."""
    tokenizer = _load_tokenizer(files)
    model = load_model(
        files,
        dtype=dtype,
        device=device,
        attention=attention,
        auto="AutoModelForCausalLM",
    )
    return ready(model, TextProcessor(tokenizer), 1)


def _load_tokenizer(files: CheckpointFiles) -> Tokenizer:
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(
            str(files.folder),
            trust_remote_code=files.remote_code,
            local_files_only=True,
        )
    except Exception as error:  # passed on to whoever asked, as BackendError
        raise BackendError(
            f"the tokenizer of {files.folder} does not load: {short_reason(error)}"
        ) from error
