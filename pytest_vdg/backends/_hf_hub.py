"""From a checkpoint's name to its folder: a local one, or a Hub snapshot.

Apart from the folder's content so that the only lines that may reach the
network stand together, and are seen to ask before they do.
"""

from __future__ import annotations

import re
from pathlib import Path

from pytest_vdg.errors import BackendUnavailable, ConfigError

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_WANTED = ["*.json", "*.safetensors", "*.txt", "*.model", "*.tiktoken", "*.jinja"]


def is_hub_id(checkpoint: str) -> bool:
    """Tell whether *checkpoint* may be an ``owner/name`` and is no folder here."""
    return not Path(checkpoint).exists() and bool(_HUB_ID.fullmatch(checkpoint))


def find_folder(
    checkpoint: str,
    *,
    revision: str | None,
    local_files_only: bool,
    allow_pickle: bool,
    trust_remote_code: bool,
) -> Path:
    """Return the folder of *checkpoint*, downloading only where that is allowed.

    Raises `ConfigError` where there is neither such a folder nor a snapshot.
    """
    folder = Path(checkpoint).expanduser()
    if folder.is_dir():
        return folder
    if not is_hub_id(checkpoint):
        what = "is a file" if folder.exists() else "does not exist"
        raise ConfigError(f"the checkpoint folder {checkpoint} {what}")
    pickles = ["*.bin"] if allow_pickle else []
    code = ["*.py"] if trust_remote_code else []
    return _snapshot(
        checkpoint, revision, local_files_only, [*_WANTED, *pickles, *code]
    )


def _snapshot(
    hub_id: str, revision: str | None, local_files_only: bool, wanted: list[str]
) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise BackendUnavailable("transformers", "huggingface_hub") from None
    try:
        return Path(
            snapshot_download(
                hub_id,
                revision=revision,
                local_files_only=local_files_only,
                allow_patterns=wanted,
                ignore_patterns=["*/*.safetensors", "*/*.bin"],
            )
        )
    except LocalEntryNotFoundError:
        raise ConfigError(
            f"{hub_id} is neither a folder here nor in the Hub cache.\n"
            f"Fetch it first:  hf download {hub_id}\n"
            "Or let the run fetch it:  local_files_only: false"
        ) from None
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigError(f"{hub_id} cannot be fetched: {reason}") from error
