"""What makes a question unusable, said in words a person can act on.

Apart from ``schema.py`` so that every loader reports the same faults in the
same words, all faults of a record at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pytest_vdg.spelling import plain_id

PLAYLISTS = (".ffconcat", ".m3u", ".m3u8", ".mpd", ".sdp")
"""File names that stand for other files, which nobody would have checked."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
"""Characters of the categories Cc, Cs, Zl and Zp."""
_PROTOCOL = re.compile(r"[A-Za-z][A-Za-z0-9+.,-]*:")


def shown(value: object) -> str:
    """Return *value* as it is written in a message, never longer than a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def is_plain(value: object) -> bool:
    """Return whether *value* is text without any fault, by a quick look.

    Most texts of a large benchmark are; False means to look closer.
    """
    # Printable text holds no control character of any kind.
    return isinstance(value, str) and value.isprintable() and value.strip() != ""


def text_faults(value: object, name: str, *, lines: bool = False) -> list[str]:
    """Return what is wrong with *value* as the text called *name*.

    With *lines* it may hold line ends and tabs; no text may hold any other
    control character.
    """
    if is_plain(value):
        return []
    if not isinstance(value, str):
        return [f"{name} must be text, got {shown(value)}: quote it"]
    faults = [] if value.strip() else [f"{name} is empty"]
    allowed = "\t\r\n" if lines else ""
    odd = next((c for c in _CONTROL.findall(value) if c not in allowed), None)
    if odd is not None:
        faults.append(f"{name} holds the control character {odd!a}: {shown(value)}")
    return faults


def id_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value* as a question id."""
    yield from text_faults(value, "id")
    if isinstance(value, str) and "::" in value:
        yield f"id {shown(value)} holds '::', which separates ids from conditions"


def extra_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value* as the rest of a record."""
    # A dict is told at once; whether something is a `Mapping` is slow to tell.
    fits = isinstance(value, (dict, Mapping)) and all(isinstance(k, str) for k in value)
    if not fits:
        yield f"extra must be an object with text keys, got {shown(value)}"


def video_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value* as the relative path of a video.

    Looks at the text alone; `Benchmark.video_path` looks at the disk.
    """
    faults = text_faults(value, "video")
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


def repeated_texts(texts: Iterable[str]) -> list[str]:
    """Return each text, its spaces made one, that stands in *texts* more than once."""
    words = [" ".join(text.split()) for text in texts]
    if len(set(words)) == len(words):  # nearly always, and quicker than counting
        return []
    return [text for text, n in Counter(words).items() if n > 1]


def links_out(folder: Path, root: Path) -> list[str]:
    """Return the names of links in *folder* of frames that lead out of *root*."""
    if not folder.is_dir():
        return []
    links = (path for path in folder.iterdir() if path.is_symlink())
    return sorted(path.name for path in links if root not in path.resolve().parents)


def repeated_ids(placed: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (place, fault) for each id that was seen before.

    *placed* are pairs of place and id; ids count as one by `plain_id`.
    """
    first: dict[str, tuple[str, str]] = {}
    for place, name in placed:
        key = plain_id(name)
        if key not in first:
            first[key] = (place, name)
            continue
        there, earlier = first[key]
        if earlier == name:
            yield place, f"id {shown(name)} was already given at {there}"
        else:
            yield place, f"id {shown(name)} is as good as {shown(earlier)} at {there}"
