"""Read a ``vdg.yaml`` into a `VdgConfig`: every key known, every type checked.

Apart from the settings that options and the environment add to it, so that a
file is judged by itself: a value keeps the type it was written in, and a
misspelt key is an error with the line it stands in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.config.kinds import (
    CAPS,
    DRAWS,
    RAY,
    SAMPLING,
    SERVER,
    SLICE,
    TOP,
    Kind,
    hint,
    named,
)
from pytest_vdg.config.specs import SamplingSpec, SliceSpec, VdgConfig
from pytest_vdg.config.switches import NAME
from pytest_vdg.config.template import read_template
from pytest_vdg.errors import ConfigError, did_you_mean
from pytest_vdg.runs import Caps

if TYPE_CHECKING:
    from pytest_vdg.config.strict_yaml import Document

FILE_NAME = "vdg.yaml"


KEYS = frozenset({*TOP, "sampling", "server", "ray", "slices", "claims", "caps"})
"""All keys that a ``vdg.yaml`` may hold."""


def load_config(path: Path | str) -> VdgConfig:
    """Read the ``vdg.yaml`` at *path*, or raise `ConfigError` with the line.

    No value is converted: where a number is wanted, ``'8'`` is an error that
    shows what to write. ``no``, ``on`` and ``yes`` are texts.
    """
    from pytest_vdg.config.strict_yaml import read_yaml

    document = read_yaml(Path(path).absolute())
    _require_known(document, document.values, KEYS)
    values = _checked(document, {k: document.values.get(k) for k in TOP}, TOP)
    values.update(_sections(document))
    for name in ("baseline_dir", "cache_dir", "replay"):
        if name in values:
            values[name] = document.path.parent / str(values[name])
    if "template" in values:
        values["template"] = read_template(document, "template")
    return VdgConfig(path=document.path, given=frozenset(document.values), **values)


def _sections(document: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "sampling" in document.values:
        found["sampling"] = _sampling(document)
    if "server" in document.values:
        found["server"] = _server(document)
    if "ray" in document.values:
        found["ray"] = _section(document, RAY, "ray")
    if "slices" in document.values:
        found["slices"] = _slices(document)
    if "claims" in document.values:
        from pytest_vdg.config.claims import read_claims  # NumPy comes with it

        found["claims"] = read_claims(document)
    if "caps" in document.values:
        found["caps"] = Caps(**_section(document, CAPS, "caps"))
    return found


def _sampling(document: Document) -> SamplingSpec:
    values = _section(document, SAMPLING, "sampling")
    ways = [name for name in ("frames", "fps", "protocol") if name in values]
    if len(ways) != 1:
        raise ConfigError(
            f"{document.where('sampling')}: 'sampling' needs exactly one of frames, "
            f"fps and protocol, got {' and '.join(ways) or 'none'}. "
            "Write for example: sampling: {frames: 8}"
        )
    if "max_frames" in values and ways != ["fps"]:
        raise ConfigError(
            f"{document.where('sampling', 'max_frames')}: 'sampling.max_frames' "
            "belongs to 'fps'. Write for example: sampling: {fps: 1, max_frames: 32}"
        )
    return SamplingSpec(**values)


def _server(document: Document) -> dict[str, Any]:
    if not isinstance(document.values["server"], dict):
        # Not shown: whoever writes one line may have put a password into it.
        raise ConfigError(
            f"{document.where('server')}: 'server' must be a mapping. Write for "
            "example: server: {url: http://localhost:8000/v1}"
        )
    return _section(document, SERVER, "server")


def _slices(document: Document) -> dict[str, SliceSpec]:
    entries = document.values["slices"]
    if not isinstance(entries, dict):
        raise _wrong(document, ("slices",), entries, "a mapping from name to slice")
    return {name: _slice(document, name) for name in entries}


def _slice(document: Document, name: str) -> SliceSpec:
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"{document.where('slices', name)}: slice name {name!r} must be made of "
            "letters, digits, '.', '_' and '-': a file is named after it"
        )
    values = _section(document, SLICE, "slices", name)
    for key in ("path", "videos", "pinned"):
        if key in values:
            values[key] = document.path.parent / values[key]
    if "template" in values:
        values["template"] = read_template(document, "slices", name, "template")
    drawn = [key for key in DRAWS if key in values]
    if "pinned" in values and drawn:
        raise ConfigError(
            f"{document.where('slices', name, drawn[0])}: slice {name!r} is pinned, so "
            f"that its file names its questions: remove {' and '.join(drawn)}, or "
            "'pinned'"
        )
    return SliceSpec(**{"benchmark": name, **values})


def _section(
    document: Document, kinds: Mapping[str, Kind], *place: str
) -> dict[str, Any]:
    entries: Any = document.values
    for key in place:
        entries = entries[key]
    if not isinstance(entries, dict):
        raise _wrong(document, place, entries, f"a mapping with {', '.join(kinds)}")
    _require_known(document, entries, kinds, *place)
    return _checked(document, entries, kinds, *place)


def _require_known(
    document: Document,
    values: Mapping[str, object],
    known: Collection[str],
    *place: str,
) -> None:
    for key in values:
        if key not in known:
            raise ConfigError(
                f"{document.where(*place, key)}: unknown key "
                f"{'.'.join((*place, key))!r}." + _meant(key, known)
            )


def _meant(key: str, known: Collection[str]) -> str:
    """Return a hint: what belongs to ``sampling`` is often written at the top."""
    names = [*known, *SAMPLING] if known is KEYS else known
    near = get_close_matches(key, names, n=1)
    if near and near[0] not in known:
        return " Write for example: sampling: {frames: 8}"
    return did_you_mean(key, known)


def _checked(
    document: Document,
    values: Mapping[str, object],
    kinds: Mapping[str, Kind],
    *place: str,
) -> dict[str, Any]:
    """Return the values that are there, or say which is not of its kind."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if (*place, key) not in document.lines:
            continue
        if not kinds[key].accepts(value):
            raise _wrong(document, (*place, key), value, kinds[key].words, kinds[key])
        found[key] = kinds[key].make(value)
    return found


def _wrong(
    document: Document,
    place: tuple[str, ...],
    value: object,
    words: str,
    kind: Kind | None = None,
) -> ConfigError:
    return ConfigError(
        f"{document.where(*place)}: {'.'.join(place)!r} must be {words}, got "
        f"{named(value)}.{hint(place[-1], value, kind)}"
    )
