"""How a log of lmms-eval came about, as far as its files say.

Apart from the samples because this stands in another file beside them, or
around them in the versions before 0.2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.errors import StoreError
from pytest_vdg.logs._files import first_of, json_value, written

_SUBJECT = ("pretrained", "model", "peft", "delta", "model_version", "model_name")
"""Model arguments that name what is under test; the others are settings."""
_STAMP = re.compile(r"^(?P<stamp>\d{8}_\d{6}|\d{4}-\d\d-\d\d[T_][\d.:-]+)_samples_")


def settings_beside(path: Path, task: str | None) -> tuple[dict[str, str], str | None]:
    """Return settings and model of the samples at *path*, from their results file."""
    found = _STAMP.match(path.name)
    if found is None:
        return {}, None
    results = path.with_name(f"{found['stamp']}_results.json")
    if not results.is_file():
        return {}, None
    try:
        whole = json_value(results)
    except StoreError:
        return {}, None  # the samples are whole; only less is known of them
    if not isinstance(whole, Mapping):
        return {}, None
    settings = settings_within(whole)
    for name in ("versions", "n-shot"):
        by_task = whole.get(name)
        if isinstance(by_task, Mapping) and task in by_task:
            settings[f"task {name}"] = str(written(by_task[task]))
    return settings, model_of(whole)


def settings_within(whole: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that a file of results, or of both, holds."""
    config = _first_mapping(whole, "config", "args")
    settings = {}
    arguments = _model_arguments(config)
    others = {k: v for k, v in arguments.items() if k not in _SUBJECT}
    if others:
        settings["model_args"] = ",".join(f"{k}={v}" for k, v in sorted(others.items()))
    for name in ("gen_kwargs", "num_fewshot", "limit"):
        if config.get(name) not in (None, "", {}):
            settings[name] = json.dumps(config[name], sort_keys=True)
    version = first_of(whole, "lmms_eval_version")
    if version:
        settings["version"] = version
    tasks = config.get("tasks")
    if isinstance(tasks, str) and "," not in tasks:
        settings["task"] = tasks
    return settings


def model_of(whole: Mapping[str, Any]) -> str | None:
    """Return what the file calls the model."""
    config = _first_mapping(whole, "config", "args")
    arguments = _model_arguments(config)
    named = first_of(arguments, *_SUBJECT)
    return named or first_of(whole, "model_name") or first_of(config, "model")


def _first_mapping(whole: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        value = whole.get(name)
        if isinstance(value, Mapping):
            return value
    return {}


def _model_arguments(config: Mapping[str, Any]) -> dict[str, str]:
    given = config.get("model_args")
    if isinstance(given, Mapping):
        return {str(k): str(written(v)) for k, v in given.items()}
    if not isinstance(given, str):
        return {}
    pairs = (part.partition("=") for part in given.split(",") if "=" in part)
    return {name.strip(): value.strip() for name, _, value in pairs}
