"""Which checkpoint folders are refused, before any weight is read.

Apart from what a good folder tells (`_hf_files`) so that all refusals, and the
option that lifts each, stand on one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.backends._hf_adapter_checks import is_adapter, processor_of
from pytest_vdg.backends._hf_adapter_files import ADAPTER_CONFIG, AdapterFiles
from pytest_vdg.backends._hf_files import (
    PROCESSOR_CONFIGS,
    CheckpointFiles,
    read_json,
    read_safetensors_header,
)
from pytest_vdg.backends._lm_checks import senses
from pytest_vdg.errors import ConfigError

CODE_CONFIGS = ("config.json", "tokenizer_config.json", *PROCESSOR_CONFIGS)
"""Files in which ``auto_map`` names code of the checkpoint's own."""
_SIZE_KEYS = ("size", "min_pixels", "max_pixels")


def open_checkpoint(
    folder: Path,
    *,
    allow_pickle: bool,
    trust_remote_code: bool,
    needs_template: bool = True,
    adapter: AdapterFiles | None = None,
) -> CheckpointFiles:
    """Check *folder* and return what it holds, without reading weights.

    One without a chat template is refused where *needs_template*, and so is a
    language model that nothing makes pictures for. The processor of the *adapter*
    that goes on top of the weights is looked at in place of theirs, if it has one.

    Raises `ConfigError` naming the folder and what to do: no ``config.json``,
    no usable weights, or code that must be trusted first.
    """
    if is_adapter(folder):
        raise ConfigError(
            f"{folder} is an adapter itself ({ADAPTER_CONFIG}), and only one goes on "
            "top of whole weights.\nMerge it into its base model (peft: "
            "merge_and_unload), save that, and name it as the base"
        )
    if not (folder / "config.json").is_file():
        raise ConfigError(
            f"{folder} is no checkpoint in the Hugging Face layout: it has no "
            "config.json. Point to the folder that save_pretrained wrote."
            + _adapter_below(folder)
        )
    own = None
    if adapter is not None:
        own = processor_of(adapter.folder, folder, pictures=needs_template)
    if not trust_remote_code:
        for each in {folder, own or folder}:
            _refuse_remote_code(each)
        if needs_template:
            _refuse_text_only(folder)
            _refuse_without_template(own or folder)
    _refuse_two_sizes(own or folder)
    weights = _safetensors(folder)
    pickles = () if weights else _pickles(folder)
    if pickles and not allow_pickle:
        raise ConfigError(
            f"{folder} has only pickled weights ({pickles[0].name}), and loading "
            "these can run any code.\nSave the checkpoint as safetensors, or, if "
            "you trust where it comes from, set: allow_pickle: true"
        )
    if not weights and not pickles:
        raise ConfigError(f"{folder} holds no weights: no model.safetensors")
    files = CheckpointFiles(
        folder, weights or pickles, bool(pickles), trust_remote_code, adapter, own
    )
    if not trust_remote_code:
        _refuse_kernels(files)
    return files


def _adapter_below(folder: Path) -> str:
    """Return a hint where an adapter lies one folder further down."""
    below = sorted(path.parent for path in folder.glob(f"*/{ADAPTER_CONFIG}"))
    return f"\nThere is an adapter in it: {below[0]}" if below else ""


def _safetensors(folder: Path) -> tuple[Path, ...]:
    """Return the files that transformers would read, in its order of choice."""
    index = folder / "model.safetensors.index.json"
    names = {"model.safetensors"}
    if index.is_file() and not (folder / "model.safetensors").is_file():
        names = set(map(str, read_json(index).get("weight_map", {}).values()))
        strays = sorted(name for name in names if Path(name).name != name)
        if strays:
            raise ConfigError(
                f"{index} names {strays[0]!r}, which is no file of the checkpoint's "
                "own folder; only files in it are read"
            )
        lost = sorted(name for name in names if not (folder / name).is_file())
        if lost:
            raise ConfigError(
                f"{folder} lacks {len(lost)} of {len(names)} weight files that "
                f"{index.name} names, e.g. {lost[0]}"
            )
    paths = (folder / name for name in sorted(names))
    weights = tuple(path for path in paths if path.is_file())
    for path in weights:
        read_safetensors_header(path)
    return weights


def _pickles(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob("pytorch_model*.bin")))


def _refuse_text_only(folder: Path) -> None:
    """Refuse a language model without eyes, and say where it belongs."""
    config = read_json(folder / "config.json")
    names = [str(name) for name in config.get("architectures") or ()]
    writes = bool(names) and all(name.endswith("ForCausalLM") for name in names)
    sees = any(senses(config)) or any(
        (folder / name).exists() for name in PROCESSOR_CONFIGS
    )
    if writes and not sees:
        raise ConfigError(
            f"{folder} is a text-only language model ({names[0]}, and no processor of "
            "pictures), which cannot be shown a video.\nAsk it with backend: text-lm "
            "(in a panel: --text-models, not --models)"
        )


def _refuse_without_template(folder: Path) -> None:
    files = ("chat_template.jinja", "chat_template.json", "additional_chat_templates")
    if any((folder / name).exists() for name in files):
        return
    for name in ("tokenizer_config.json", *PROCESSOR_CONFIGS):
        path = folder / name
        if path.is_file() and read_json(path).get("chat_template"):
            return
    raise ConfigError(
        f"{folder} has no chat template, so the question cannot be put the way "
        "the model was trained to be asked.\nAdd chat_template.jinja, e.g. from "
        "its base model (processor.save_pretrained writes it)."
    )


def _refuse_two_sizes(folder: Path) -> None:
    """Refuse a second file on the size of frames, which nobody would read."""
    old, new = folder / "video_preprocessor_config.json", folder / PROCESSOR_CONFIGS[0]
    if not (old.is_file() and new.is_file()):
        return
    read = read_json(new).get("video_processor")
    idle = read_json(old)
    if not isinstance(read, dict) or not any(name in idle for name in _SIZE_KEYS):
        return
    if _pixel_limits(idle) != _pixel_limits(read):
        raise ConfigError(
            f"{old.name} and {new.name} of {folder} differ in the size of frames "
            f"({_pixel_limits(idle)} and {_pixel_limits(read)}), and transformers "
            f"reads the second only.\nDelete {old.name}, or make them agree."
        )


def _pixel_limits(config: Mapping[str, Any]) -> dict[str, object]:
    """Return the size that a video processor's *config* asks for."""
    size = config.get("size")
    limits = dict(size) if isinstance(size, dict) else {"size": size}
    for name, edge in (("min_pixels", "shortest_edge"), ("max_pixels", "longest_edge")):
        if config.get(name) is not None:
            limits[edge] = config[name]
    return {name: value for name, value in limits.items() if value is not None}


def _refuse_remote_code(folder: Path) -> None:
    for name in CODE_CONFIGS:
        path = folder / name
        if path.is_file() and "auto_map" in _all_keys(read_json(path)):
            raise ConfigError(
                f"{path} names code of the checkpoint's own (auto_map), which is "
                "not run by default.\nIf you have read it and trust it, set: "
                "trust_remote_code: true"
            )


def _refuse_kernels(files: CheckpointFiles) -> None:
    if "/" in (files.attention or ""):
        raise ConfigError(
            f"{files.folder / 'config.json'} names an attention kernel of the Hub "
            f"({files.attention}), code that is not fetched or run by default.\n"
            "If you trust it, set: trust_remote_code: true"
        )


def _all_keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _all_keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _all_keys(inner)
