"""Which adapter folders are refused, before any weight is read.

Apart from the checks of whole checkpoints because an adapter is judged by its
config: what was never held against PEFT's own loading is not loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.backends._hf_adapter_files import ADAPTER_CONFIG, AdapterFiles
from pytest_vdg.backends._hf_files import (
    PROCESSOR_CONFIGS,
    read_json,
    read_safetensors_header,
)
from pytest_vdg.errors import ConfigError

MERGE = (
    "Merge it into its base model (peft: merge_and_unload), save that, and ask the "
    "merged checkpoint"
)
WEIGHTS = "adapter_model.safetensors"
PICKLED = "adapter_model.bin"
_WHOLE = ("model.safetensors", "model.safetensors.index.json", "pytorch_model*.bin")
_STRAY = "non_lora*"
"""Trained weights that some trainers keep beside the adapter's own."""
_TASKS = (None, "CAUSAL_LM")
_WRITTEN_OVER = (True, False, None, "gaussian", "orthogonal", "eva")
"""Ways to begin an adapter that leave the base's weights as they are."""
_TESTED = frozenset(
    {"peft_type", "task_type", "base_model_name_or_path", "revision"}
    | {"inference_mode", "auto_mapping", "peft_version", "megatron_core"}
    | {"r", "lora_alpha", "lora_dropout", "lora_bias", "use_rslora", "bias"}
    | {"target_modules", "exclude_modules", "target_parameters", "fan_in_fan_out"}
    | {"layers_to_transform", "layers_pattern", "rank_pattern", "alpha_pattern"}
    | {"modules_to_save", "trainable_token_indices", "ensure_weight_tying"}
    # What only the beginning of training asks for.
    | {"init_lora_weights", "eva_config", "corda_config", "loftq_config"}
    | {"qalora_group_size", "lora_ga_config"}
)
"""Keys of a LoRA config that the tests hold against PEFT's own loading."""
_TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "*.model", "*.tiktoken")
_BATCHES = ("padding", "truncation")
"""Parts of ``tokenizer.json`` that a trainer leaves there, and nothing reads."""


def is_adapter(folder: Path) -> bool:
    """Tell whether *folder* holds an adapter."""
    return (folder / ADAPTER_CONFIG).is_file()


def open_adapter(folder: Path, *, allow_pickle: bool) -> AdapterFiles:
    """Check the adapter in *folder* and return it, without reading weights.

    Raises `ConfigError` naming the folder and what to do: whole weights beside
    it, no weights of its own, or a kind of adapter that is not loaded.
    """
    _refuse_two_models(folder)
    weights, pickled = folder / WEIGHTS, folder / PICKLED
    if not weights.is_file() and not pickled.is_file():
        raise ConfigError(
            f"{folder} holds an adapter without weights: no {WEIGHTS}. Save it with "
            "save_pretrained"
        )
    if not weights.is_file() and not allow_pickle:
        raise ConfigError(
            f"{folder} has only pickled weights ({PICKLED}), and loading these can run "
            "any code.\nSave the adapter as safetensors, or, if you trust where it "
            "comes from, set: allow_pickle: true"
        )
    if weights.is_file():
        read_safetensors_header(weights)
    is_pickle = not weights.is_file()
    found = AdapterFiles(
        folder=folder,
        weights=pickled if is_pickle else weights,
        weights_are_pickle=is_pickle,
    )
    _refuse_kinds(folder, found.config)
    return found


def base_named(adapter: AdapterFiles) -> tuple[str, str | None]:
    """Return the base that *adapter* itself names, and its revision."""
    named = adapter.config.get("base_model_name_or_path")
    if not isinstance(named, str) or not named:
        raise ConfigError(
            f"{adapter.folder / ADAPTER_CONFIG} names no base model.\n"
            "Say in vdg.yaml which one it was trained on: base: FOLDER, or "
            "base: owner/name@revision"
        )
    revision = adapter.config.get("revision")
    return named, revision if isinstance(revision, str) and revision else None


def processor_of(folder: Path, base: Path, *, pictures: bool) -> Path | None:
    """Return the adapter's *folder* where it has a processor, None for the base's.

    A language model's is its tokenizer; one that is shown *pictures* needs the
    settings of a processor, too. Raises `ConfigError` for half of one, unless that
    half is what the base has.
    """
    tokenizer = any(next(folder.glob(name), None) for name in _TOKENIZERS)
    settings = any((folder / name).is_file() for name in PROCESSOR_CONFIGS)
    if tokenizer and (settings or not pictures):
        return folder
    if settings and not tokenizer:
        raise ConfigError(
            f"{folder} has settings of a processor and no tokenizer. Save the whole "
            "processor there (processor.save_pretrained), or delete them to use that "
            f"of the base, {base}"
        )
    other = _other_words(folder, base) if tokenizer else _other_template(folder, base)
    if other is not None:
        raise ConfigError(
            f"{folder} has {'a tokenizer' if tokenizer else 'a chat template'} and no "
            f"processor, and its {other} is not that of the base, {base}: it is not "
            "known which the model was trained with.\n"
            "Save the whole processor beside the adapter (processor.save_pretrained), "
            f"or delete the {'tokenizer' if tokenizer else 'template'} there"
        )
    return None


def _refuse_two_models(folder: Path) -> None:
    """Refuse an adapter beside other weights: it is not known what is meant."""
    whole = [path.name for pattern in _WHOLE for path in sorted(folder.glob(pattern))]
    if whole:
        raise ConfigError(
            f"{folder} holds two models: whole weights ({whole[0]}) and an adapter "
            f"({ADAPTER_CONFIG}).\nTo ask the whole weights, move the adapter_* files "
            "elsewhere. To ask the adapter on top of them, move these to a folder of "
            f"their own, name that as the checkpoint, and set: base: {folder}"
        )
    stray = next(iter(sorted(folder.glob(_STRAY))), None)
    if stray is not None:
        raise ConfigError(
            f"{folder} keeps trained weights outside of the adapter ({stray.name}), "
            f"which would be left out.\n{MERGE}"
        )


def _refuse_kinds(folder: Path, config: Mapping[str, Any]) -> None:
    """Refuse what was never held against PEFT's own loading."""
    path = folder / ADAPTER_CONFIG
    kind, task = config.get("peft_type"), config.get("task_type")
    if kind != "LORA":
        raise ConfigError(
            f"{path} is of peft_type {kind!r}, and only LORA is known to be loaded "
            f"whole.\n{MERGE}"
        )
    if task not in _TASKS:
        raise ConfigError(
            f"{path} is for task_type {task!r}, which is not writing an answer. Point "
            "to an adapter that was trained for CAUSAL_LM"
        )
    begun = config.get("init_lora_weights", True)
    if begun not in _WRITTEN_OVER:
        raise ConfigError(
            f"{path} was begun by init_lora_weights {begun!r}, which takes weights out "
            "of the base whenever it is loaded, with that machine's rounding.\n"
            f"{MERGE}"
        )
    unknown = sorted(key for key, said in config.items() if said and key not in _TESTED)
    if unknown:
        key = unknown[0]
        raise ConfigError(
            f"{path} sets {key} to {json.dumps(config[key])[:60]}, and adapters with "
            f"it are not known to be loaded whole.\n{MERGE}"
        )


def _other_words(folder: Path, base: Path) -> str | None:
    """Return the file of *folder*'s tokenizer that is not what *base* has."""
    own, other = folder / "tokenizer.json", base / "tokenizer.json"
    if not own.is_file() or not other.is_file() or _words(own) != _words(other):
        return own.name
    return _other_template(folder, base)


def _other_template(folder: Path, base: Path) -> str | None:
    """Return the file of *folder* with a chat template that *base* has nowhere.

    Versions of transformers write it into different files; a base from the Hub often
    has two, one for its tokenizer and one for its processor.
    """
    known = set(_templates(base).values())
    differ = (name for name, text in _templates(folder).items() if text not in known)
    return next(differ, None)


def _templates(folder: Path) -> dict[str, str]:
    """Return the chat templates in *folder*, by file."""
    found: dict[str, object] = {}
    jinja = folder / "chat_template.jinja"
    if jinja.is_file():
        found[jinja.name] = jinja.read_text(encoding="utf-8", errors="replace")
    for name in ("chat_template.json", "tokenizer_config.json", *PROCESSOR_CONFIGS):
        if (folder / name).is_file():
            found[name] = read_json(folder / name).get("chat_template")
    named = found.items()
    return {name: text.strip() for name, text in named if isinstance(text, str)}


def _words(path: Path) -> object:
    """Return what a ``tokenizer.json`` says, however it was written.

    Versions differ in whether pairs are lists or texts, and in what they leave out.
    """
    found = {key: v for key, v in read_json(path).items() if key not in _BATCHES}
    model = found.get("model")
    if isinstance(model, dict) and isinstance(model.get("merges"), list):
        pairs = (" ".join(p) if isinstance(p, list) else p for p in model["merges"])
        found["model"] = {**model, "merges": list(pairs)}
    return _said(found)


def _said(value: object) -> object:
    """Return *value* without what is not set in it."""
    if isinstance(value, Mapping):
        unset = {key for key, v in value.items() if v is None or v is False or v == ""}
        return {key: _said(v) for key, v in value.items() if key not in unset}
    return [_said(each) for each in value] if isinstance(value, list) else value
