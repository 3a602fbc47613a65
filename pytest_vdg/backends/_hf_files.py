"""What a checkpoint folder in the Hugging Face layout tells without torch.

Apart from loading so that a wrong folder is refused, and a run is known by its
content, before (and without) paying for any weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.backends._digests import content_digest
from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from pytest_vdg.backends._hf_adapter_files import AdapterFiles

PROCESSOR_CONFIGS = (
    "processor_config.json",
    "preprocessor_config.json",
    "video_preprocessor_config.json",
)
ATTENTION_KEYS = ("_attn_implementation", "attn_implementation")
"""Where ``config.json`` may name an attention implementation."""
_PROCESSOR_FILES = (
    *PROCESSOR_CONFIGS,
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "*.model",
    "*.tiktoken",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template*",
    "additional_chat_templates/*",
)

# They change when a checkpoint is saved again, or are overridden by us
# (padding side), but never change an answer.
_IDLE_KEYS = frozenset(
    {
        "transformers_version",
        "_name_or_path",
        "name_or_path",
        "_commit_hash",
        "is_local",
        "local_files_only",
        "padding_side",
    }
)
_GENERATION = "generation_config.json"
# All else of generation_config.json is overridden, see `_hf_scoring`.
GENERATION_KEYS = ("bos_token_id", "eos_token_id", "pad_token_id")

_SAFETENSORS_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_OTHER_NAMES = {"half": "float16", "float": "float32", "double": "float64"}
"""Names that torch has for dtypes beside the usual ones."""
_DTYPES = ("float64", *_SAFETENSORS_DTYPES.values())


@dataclass(frozen=True)
class CheckpointFiles:
    """A checked checkpoint folder; made by `_hf_checks.open_checkpoint`."""

    folder: Path
    weights: tuple[Path, ...]
    """The files that hold weights, sorted by name."""
    weights_are_pickle: bool
    """Whether these are pickles, which was allowed explicitly."""
    remote_code: bool
    """Whether code of the checkpoint's own may run."""
    adapter: AdapterFiles | None = None
    """What was trained on top of these weights; None for a whole checkpoint."""
    own_processor: Path | None = None
    """Folder of a processor that is not the one beside the weights."""

    @property
    def title(self) -> str:
        """Where it lies, for messages."""
        if self.adapter is None:
            return str(self.folder)
        return f"{self.adapter.folder} (an adapter) or its base {self.folder}"

    @property
    def weight_files(self) -> tuple[Path, ...]:
        """All files that hold weights, an adapter's last."""
        return (
            *self.weights,
            *(() if self.adapter is None else (self.adapter.weights,)),
        )

    @property
    def processor_folder(self) -> Path:
        """Where processor, tokenizer and chat template lie."""
        return self.own_processor or self.folder

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """Content of ``config.json``."""
        return read_json(self.folder / "config.json")

    @cached_property
    def base_digest(self) -> str:
        """SHA-256 over name and content of each weight file, without an adapter.

        Of a large file that is known to be unchanged, the content is not read.
        """
        return _digest_files(self.folder, self.weights)

    @cached_property
    def weights_digest(self) -> str:
        """SHA-256 over all that the model computes with: weights, and an adapter."""
        if self.adapter is None:
            return self.base_digest
        both = f"base {self.base_digest} adapter {self.adapter.digest}"
        return hashlib.sha256(both.encode()).hexdigest()

    @property
    def subject(self) -> dict[str, str]:
        """What is under test, as part of a backend's identity."""
        told = {"weights": self.weights_digest, "config": self.config_digest}
        if self.adapter is None:
            return told
        return {**told, "base": self.base_digest, "adapter": self.adapter.digest}

    @cached_property
    def config_digest(self) -> str:
        """SHA-256 over ``config.json`` without what never changes an answer."""
        return hashlib.sha256(canonical(self.config)).hexdigest()

    @cached_property
    def processor_digest(self) -> str:
        """SHA-256 over processor, tokenizer, chat template, and stop tokens."""
        state = hashlib.sha256()
        for path in self._processor_files():
            state.update(self._named(path).encode() + b"\0")
            is_config = path.suffix == ".json" and path.name != "tokenizer.json"
            content = canonical(read_json(path)) if is_config else path.read_bytes()
            state.update(hashlib.sha256(content).digest())
        generation = self.folder / _GENERATION
        if generation.is_file():
            read = read_json(generation)
            state.update(canonical({key: read.get(key) for key in GENERATION_KEYS}))
        return state.hexdigest()

    @cached_property
    def frames_per_token(self) -> int:
        """Frames merged into one visual token in time; 1 where none is said."""
        for part in _parts_with_patch_size(self.processor_folder, self.config):
            size = part.get("temporal_patch_size")
            if isinstance(size, int) and size >= 1:
                return size
        return 1

    @cached_property
    def dtype(self) -> str:
        """Dtype the weights are meant for, e.g. ``bfloat16``."""
        text = self.config.get("text_config") or {}
        for part in (self.config, text):
            named = part.get("dtype") or part.get("torch_dtype")
            if isinstance(named, str) and named != "auto":
                return self._known_dtype(named)
        if self.weights_are_pickle:
            return "float32"
        header = read_safetensors_header(self.weights[0])
        first = next(entry for key, entry in header.items() if key != "__metadata__")
        return _SAFETENSORS_DTYPES.get(first["dtype"], "float32")

    def _known_dtype(self, named: str) -> str:
        """Return *named*, of ``config.json``, by the usual name."""
        found = _OTHER_NAMES.get(named, named)
        if found not in _DTYPES:
            raise ConfigError(
                f"{self.folder / 'config.json'} has the dtype {named!r}, in which no "
                "model is asked. Write bfloat16 there, or float16, float32, float64"
            )
        return found

    @cached_property
    def attention(self) -> str | None:
        """Attention implementation that ``config.json`` asks for, if any."""
        named = next((self.config[k] for k in ATTENTION_KEYS if self.config.get(k)), "")
        return (named if isinstance(named, str) else json.dumps(named)) or None

    @cached_property
    def quantisation(self) -> str:
        """Method and settings of quantised weights, else ``none``."""
        found = self.config.get("quantization_config")
        return "none" if not found else canonical(found).decode()

    @cached_property
    def opened_stamp(self) -> tuple[tuple[str, int, int], ...]:
        """The first `stamp`; a later one that differs shows a change."""
        return self.stamp()

    def stamp(self) -> tuple[tuple[str, int, int], ...]:
        """Return name, size and time of each file, to see a change cheaply."""
        own = () if self.adapter is None else self.adapter.files
        told = (self.folder / "config.json", *self.folder.glob(_GENERATION))
        files = (*told, *self.weights, *own, *self._processor_files())
        stats = ((path.name, path.stat()) for path in files)
        return tuple((name, s.st_size, s.st_mtime_ns) for name, s in stats)

    def _processor_files(self) -> list[Path]:
        folder = self.processor_folder
        found = {path for name in _PROCESSOR_FILES for path in folder.glob(name)}
        if self.remote_code:
            found |= {p for each in {folder, self.folder} for p in each.glob("*.py")}
        return sorted(path for path in found if path.is_file())

    def _named(self, path: Path) -> str:
        """Return what *path*, of a processor or its code, is called in a digest."""
        if path.is_relative_to(self.processor_folder):
            return path.relative_to(self.processor_folder).as_posix()
        return f"base/{path.name}"


def read_safetensors_header(path: Path) -> dict[str, Any]:
    """Return the header of a safetensors file, or say why it is none."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        whole = len(start) == 8 and length <= size - 8
        text = file.read(length) if whole else b""
    try:
        header = json.loads(text)
        ends = [
            entry["data_offsets"][1] for k, entry in header.items() if k[:2] != "__"
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        lfs = start == b"version "
        reason = (
            "a Git LFS pointer (run: git lfs pull)" if lfs else "damaged or cut off"
        )
        raise ConfigError(f"{path} is no safetensors file, but {reason}") from None
    if 8 + length + max(ends, default=0) != size or not ends:
        raise ConfigError(f"{path} is cut off or holds no weights ({size} bytes)")
    return dict(header)


def _parts_with_patch_size(
    folder: Path, config: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield what may hold ``temporal_patch_size``, the model's own word first."""
    yield config.get("vision_config") or {}
    for name in reversed(PROCESSOR_CONFIGS):
        if (folder / name).is_file():
            read = read_json(folder / name)
            yield read.get("video_processor") or {}
            yield read


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in *path*, or say that there is none."""
    try:
        read = json.loads(path.read_bytes())
    except ValueError as error:
        raise ConfigError(f"{path} is no JSON: {error}") from error
    if not isinstance(read, dict):
        raise ConfigError(f"{path} holds no JSON object")
    return read


def canonical(value: object) -> bytes:
    """Return JSON of *value* without what never changes an answer."""
    return json.dumps(_without_idle_keys(value), sort_keys=True).encode()


def _without_idle_keys(value: object) -> object:
    if isinstance(value, Mapping):
        kept = ((key, inner) for key, inner in value.items() if key not in _IDLE_KEYS)
        return {key: _without_idle_keys(inner) for key, inner in kept}
    if isinstance(value, list):
        return [_without_idle_keys(inner) for inner in value]
    return value


def _digest_files(folder: Path, paths: tuple[Path, ...]) -> str:
    state = hashlib.sha256()
    for path in paths:
        state.update(path.relative_to(folder).as_posix().encode() + b"\0")
        state.update(content_digest(path))
    return state.hexdigest()
