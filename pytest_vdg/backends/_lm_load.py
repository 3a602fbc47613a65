"""Load tokenizer and weights of a text-only language model.

Apart from `_hf_load`, which does all that both kinds need, because a language
model has a tokenizer where others have a processor around one.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.backends._hf_asked import WRITING
from pytest_vdg.backends._hf_families import COMMON
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_load import (
    Loaded,
    Tokenizer,
    load_model,
    ready,
)
from pytest_vdg.backends._hf_place import Placing
from pytest_vdg.backends._hf_said import short_reason
from pytest_vdg.errors import BackendError


@dataclass(frozen=True, eq=False)
class TextProcessor:
    """A tokenizer where a processor is expected."""

    tokenizer: Tokenizer


def load_language_model(
    files: CheckpointFiles, *, dtype: str, placing: Placing, attention: str | None
) -> Loaded:
    """Load what *files* hold as *placing* says; raise `BackendError` saying why not."""
    tokenizer = _load_tokenizer(files)
    model = load_model(
        files,
        dtype=dtype,
        placing=placing,
        attention=attention,
        auto=WRITING,
    )
    return ready(model, TextProcessor(tokenizer), COMMON)


def _load_tokenizer(files: CheckpointFiles) -> Tokenizer:
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(
            str(files.processor_folder),
            trust_remote_code=files.remote_code,
            local_files_only=True,
        )
    except Exception as error:  # passed on to whoever asked, as BackendError
        raise BackendError(
            f"the tokenizer of {files.folder} does not load: {short_reason(error)}"
        ) from error
