"""What makes a question unusable, said in words a person can act on.

Apart from ``schema.py`` so that every loader reports the same faults in the
same words, all faults of a record at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PLAYLISTS = (".ffconcat", ".m3u", ".m3u8", ".mpd", ".sdp")
"""File names that stand for other files, which nobody would have checked."""

_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})
_PROTOCOL = re.compile(r"[A-Za-z][A-Za-z0-9+.,-]*:")


def shown(value: object) -> str:
    """Return *value* as it is written in a message, never longer than a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def text_faults(value: object, name: str, *, lines: bool = False) -> Iterator[str]:
    """Yield what is wrong with *value* as the text called *name*.

    With *lines* it may hold line ends and tabs; no text may hold any other
    control character.
    """
    if not isinstance(value, str):
        yield f"{name} must be text, got {shown(value)}: quote it"
        return
    if not value.strip():
        yield f"{name} is empty"
    allowed = "\t\r\n" if lines else ""
    odd = [c for c in value if unicodedata.category(c) in _CONTROL and c not in allowed]
    if odd:
        yield f"{name} holds the control character {odd[0]!a}: {shown(value)}"


def id_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value* as a question id."""
    yield from text_faults(value, "id")
    if isinstance(value, str) and "::" in value:
        yield f"id {shown(value)} holds '::', which separates ids from conditions"


def extra_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value* as the rest of a record."""
    if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
        yield f"extra must be an object with text keys, got {shown(value)}"


def video_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value* as the relative path of a video.

    Looks at the text alone; `Benchmark.video_path` looks at the disk.
    """
    faults = list(text_faults(value, "video"))
    yield from faults
    if faults or not isinstance(value, str):
        return
    parts = value.split("/")
    if "\\" in value:
        yield f"video {shown(value)} holds a backslash: write folders with '/'"
    elif _PROTOCOL.match(value):
        yield (
            f"video {shown(value)} is an address or names a drive; only files "
            "under the benchmark's folder are read"
        )
    elif value.startswith("/") or ".." in parts:
        yield f"video {shown(value)} leads out of the benchmark's folder"
    elif "" in parts or "." in parts:
        # One file must have one name: it is the cluster of its questions.
        plain = "/".join(p for p in parts if p not in ("", "."))
        yield f"video {shown(value)} has a shorter spelling: write {plain!r}"
    elif value.lower().endswith(PLAYLISTS):
        yield f"video {shown(value)} is a playlist, which names other files"


def links_out(folder: Path, root: Path) -> list[str]:
    """Return the names of links in *folder* of frames that lead out of *root*."""
    if not folder.is_dir():
        return []
    links = (path for path in folder.iterdir() if path.is_symlink())
    return sorted(path.name for path in links if root not in path.resolve().parents)


def repeated_ids(placed: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (place, fault) for each id that was seen before.

    *placed* are pairs of place and id. Ids that differ in case, in space
    around them or in Unicode form count as one: files and people mix them up.
    """
    first: dict[str, tuple[str, str]] = {}
    for place, name in placed:
        key = unicodedata.normalize("NFKC", name).strip().casefold()
        if key not in first:
            first[key] = (place, name)
            continue
        there, earlier = first[key]
        if earlier == name:
            yield place, f"id {shown(name)} was already given at {there}"
        else:
            yield place, f"id {shown(name)} is as good as {shown(earlier)} at {there}"
