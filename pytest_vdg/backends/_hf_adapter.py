"""Put an adapter on a loaded model, and refuse half of one.

Apart from loading whole weights because PEFT only warns where an adapter does
not fit its base, and such a model then answers like the base alone.

The adapter is not merged, and the model is not wrapped: it keeps its class, so
that all that is known of its family holds. Its weights take the model's dtype.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from typing import Any, NoReturn

from pytest_vdg.backends._hf_adapter_checks import MERGE
from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_quantise import hush
from pytest_vdg.backends._hf_said import hushed, short_reason, some
from pytest_vdg.errors import BackendError, ConfigError

# transformers builds these by name at run time, so no type says what they are.
Model = Any

_NAME = "default"
"""What the adapter is called in the model; part of the names of its weights."""


def add_adapter(model: Model, files: CheckpointFiles, adapter: AdapterFiles) -> None:
    """Put *adapter* on *model*, the weights of *files*, in place.

    Raises `BackendError` unless each tensor of the adapter has its place in the
    model, and each place its tensor.
    """
    what = f"the adapter {adapter.folder} does not fit its base {files.folder}"
    hush()
    try:
        # Told below, but for what merging would do to tied embeddings.
        with hushed("transformers.integrations.peft", UserWarning):
            info = model.load_adapter(
                str(adapter.folder),
                adapter_name=_NAME,
                adapter_kwargs={"local_files_only": True},
                use_safetensors=not adapter.weights_are_pickle,
                # Else it ends there, and names none of them.
                ignore_mismatched_sizes=True,
            )
    except Exception as error:  # passed on to whoever asked, as BackendError
        traceback.clear_frames(error.__traceback__)
        raise BackendError(
            f"{what}: {short_reason(error)}\nProbably it was trained on "
            "another model. Name the right one: base: FOLDER or owner/name@revision"
        ) from error
    for names, meaning in (
        (_missing(model, info.missing_keys), "are missing, and would be random"),
        (info.mismatched_keys, "have another shape, and would be random"),
        (info.unexpected_keys, "belong to no part of the model"),
    ):
        if names:
            # A name, or a tuple that a name begins.
            listed = sorted(str(n[0] if isinstance(n, tuple) else n) for n in names)
            raise BackendError(
                f"{what}: {len(listed)} of its weights {meaning}: {some(listed)}"
            )
    if not any(f".{_NAME}." in f"{name}." for name, _ in model.named_parameters()):
        raise BackendError(f"{what}: it changes no part of the model")


def refuse_offloaded(adapter: AdapterFiles) -> NoReturn:
    """Raise `ConfigError`: parts of the base wait in main memory or on disk.

    What fetches them for a pass knows nothing of the adapter's weights, which
    then hold no numbers.
    """
    raise ConfigError(
        f"{adapter.folder} is an adapter, and its base does not fit on the devices: "
        "an adapter is not put on parts that are fetched for each pass.\nSet "
        f"quantisation: nf4, or more devices with device_map: auto. {MERGE}"
    )


def _missing(model: Model, names: Iterable[str]) -> list[str]:
    """Return those of *names* that were not read under another name of theirs.

    Tied embeddings are one tensor with two names, of which one is saved.
    """
    lacking = set(names)
    known = dict(model.named_parameters(remove_duplicate=False))
    read = {id(tensor) for name, tensor in known.items() if name not in lacking}
    return [name for name in lacking if id(known.get(name)) not in read]
