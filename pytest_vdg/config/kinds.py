"""The keys of ``vdg.yaml`` and what the value of each must be.

Apart from ``file`` so that adding a key is one line in one table, and so
that whoever wrote another kind of value is told what to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_vdg.config import durations
from pytest_vdg.config.switches import NAME


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a value must be, in words and as a check."""

    words: str
    accepts: Callable[[object], bool]
    make: Callable[[Any], object] = lambda value: value


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_int(value) or isinstance(value, float)


def _is_texts(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, str) and item for item in value)
    )


_TEXT = Kind(words="a text", accepts=lambda v: isinstance(v, str) and v != "")
_SWITCH = Kind(words="true or false", accepts=lambda v: isinstance(v, bool))
_WHOLE = Kind(words="a whole number", accepts=_is_int)
_COUNT = Kind(
    words="a whole number above 0", accepts=lambda v: _is_int(v) and int(str(v)) > 0
)
_RATE = Kind(
    words="a number above 0",
    accepts=lambda v: (_is_int(v) or isinstance(v, float)) and float(str(v)) > 0,
    make=float,
)
_SHARE = Kind(
    words="a fraction from 0 to 1",
    accepts=lambda v: (_is_int(v) or isinstance(v, float)) and 0 <= float(str(v)) <= 1,
    make=float,
)
_MAPPING = Kind(words="a mapping", accepts=lambda v: isinstance(v, dict))
_TEXTS = Kind(words="a list of texts", accepts=_is_texts, make=tuple)
_SEVERAL = Kind(
    words="a whole number of at least 2",
    accepts=lambda v: _is_int(v) and int(str(v)) >= 2,
)


_NOT_NEGATIVE = Kind(
    words="a whole number of at least 0",
    accepts=lambda v: _is_int(v) and int(str(v)) >= 0,
)
_TIME = Kind(
    words=f"a time {durations.EXAMPLES}",
    accepts=lambda v: isinstance(v, str) and durations.seconds(v) is not None,
)


_NAME = Kind(
    words="a name of letters, digits, '.', '_' and '-'",
    accepts=lambda v: isinstance(v, str) and NAME.fullmatch(v) is not None,
)
_FORCE = Kind(
    words="true, false or 'force'",
    accepts=lambda v: isinstance(v, bool) or v == "force",
)


def _one_of(*values: str) -> Kind:
    words = " or ".join(map(repr, values))
    return Kind(words=words, accepts=lambda v: v in values)


SAMPLING = {
    "frames": _COUNT,
    "fps": _RATE,
    "max_frames": _COUNT,
    "endpoints": _SWITCH,
    "protocol": _TEXT,
}
SERVER = {
    "url": _TEXT,
    "frames_as": _one_of("images", "video"),
    "image_format": _one_of("png", "jpeg"),
    "frames_per_token": _COUNT,
    "max_concurrent": _COUNT,
    "requests_per_minute": _RATE,
    "timeout_s": _RATE,
    "deadline_s": _RATE,
    "retries": _NOT_NEGATIVE,
    "logprobs": _one_of("auto", "off"),
    "price_per_million": _MAPPING,
    "reuse_hours": Kind(
        words="a number of at least 0",
        accepts=lambda v: _is_number(v) and float(str(v)) >= 0,
        make=float,
    ),
    "request": _MAPPING,
}
"""Keys of ``server``; what they mean, `ServerSettings` knows."""
RAY = {
    "address": _TEXT,
    "actors": _COUNT,
    "gpus_per_actor": _RATE,
    "cpus_per_actor": _COUNT,
}
"""Keys of ``ray``: the cluster, and what each actor gets of it."""
SLICE = {
    "benchmark": _TEXT,
    "path": _TEXT,
    "videos": _TEXT,
    "variant": _TEXT,
    "on_bad_records": _one_of("strict", "skip"),
    "questions": _COUNT,
    "tasks": _TEXTS,
    "seed": _WHOLE,
    "at_least": _COUNT,
    "per_video": _one_of("all", "one"),
    "pinned": _TEXT,
    "rotate": _SEVERAL,
    "template": _TEXT,
}
DRAWS = ("questions", "tasks", "seed", "at_least", "per_video")
"""Keys of a slice that say which questions are drawn."""
CLAIM = {
    "assert": _TEXT,
    "slice": _TEXT,
    "conditions": _TEXTS,
    "questions": _COUNT,
    "tasks": Kind(
        words="a task or a list of tasks",
        accepts=lambda v: _TEXT.accepts(v) or _is_texts(v),
        make=lambda v: (v,) if isinstance(v, str) else tuple(v),
    ),
    "seed": _WHOLE,
    "loosened": Kind(
        words="the reason for a larger margin, in words",
        accepts=lambda v: isinstance(v, str) and bool(v.strip()),
    ),
}
"""Keys of a claim that are no argument of its assertion, as a marker has them."""
CAPS = dict.fromkeys(
    ("failed", "failed_difference", "unparsed", "unparsed_difference"), _SHARE
)
TOP = {
    "checkpoint": _TEXT,
    "backend": _TEXT,
    "device": _TEXT,
    "dtype": _TEXT,
    "attention": _TEXT,
    "frames_as": _one_of("video", "images"),
    "quantisation": _one_of("nf4", "int8"),
    "device_map": _one_of("auto"),
    "offload": _SWITCH,
    "base": _TEXT,
    "scoring": _TEXT,
    "option_likelihood": _one_of("sum", "per_character"),
    "max_new_tokens": _COUNT,
    "trust_remote_code": _SWITCH,
    "allow_pickle": _SWITCH,
    "local_files_only": _SWITCH,
    "threads": _COUNT,
    "share_prefixes": _SWITCH,
    "batch_tokens": _COUNT,
    "revision": _TEXT,
    "instruction": _TEXT,
    "template": _TEXT,
    "seed": _WHOLE,
    "reader": _TEXT,
    "decode_workers": _NOT_NEGATIVE,
    "decode_timeout_s": _RATE,
    "time_budget": _TIME,
    "conditions": _TEXTS,
    "on_bad_media": _one_of("fail", "skip"),
    "baseline_dir": _TEXT,
    "environment": _NAME,
    "cache_dir": _TEXT,
    "replay": _TEXT,
    "compare_to": _TEXT,
    "spread": _FORCE,
    "executor": _one_of("local", "ray"),
    "sight": _SWITCH,
}


def named(value: object) -> str:
    """Return *value* with its kind in words, e.g. ``the text '8'``."""
    if value is None:
        return "nothing"
    kinds = {str: "the text", bool: "the switch", list: "the list", dict: "the mapping"}
    shown = str(value).lower() if isinstance(value, bool) else f"{value!r:.60}"
    return f"{kinds.get(type(value), 'the number')} {shown}"


def hint(key: str, value: object, kind: Kind | None) -> str:
    """Return what to write instead, where that is plain to see."""
    if value is None:
        return " Give a value or remove the line"
    if kind is None:
        return ""
    if isinstance(value, str) and kind.accepts(plain_value(value)):
        return f" Write: {key}: {value}"
    if isinstance(value, str) and kind.accepts([value]):
        return f" Write: {key}: [{value}]"
    if isinstance(value, bool | int | float) and kind.accepts(str(value)):
        text = str(value).lower() if isinstance(value, bool) else value
        return f" Write: {key}: '{text}'"
    return ""


def plain_value(text: str) -> object:
    """Return what *text* would be without its quotes; None where a text."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"[-+]?\d{1,30}", text):
        return int(text)
    return float(text) if re.fullmatch(r"[-+]?\d{0,30}\.\d{1,30}", text) else None
