"""What can be told of a file before any reader opens it; and safe words.

Apart from the readers because the refusals are the same for all of them: only
a local, regular file that is a video by its content is ever handed on. Some
readers would follow a playlist or an address to other files.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from pytest_vdg.errors import MediaError

HEAD = 4096
"""Bytes that are looked at."""

_UNSAFE = re.compile("[^\t\n -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, and the C1 controls that terminals obey."""

_INDIRECT = (b"#EXTM3U", b"ffconcat version", b"[playlist]", b"[InternetShortcut]")
_PAGES = re.compile(rb"<(!doctype\s+html|html|head|body|script)\b", re.IGNORECASE)

_MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"styp")
_MAGIC = {
    b"\x1a\x45\xdf\xa3": "matroska",
    b"GIF8": "gif",
    b"RIFF": "riff",
    b"FLV": "flv",
    b"OggS": "ogg",
    b"\x30\x26\xb2\x75": "asf",
    b"DKIF": "ivf",
    b"\x00\x00\x01\xba": "mpeg",
    b"\x00\x00\x01\xb3": "mpeg",
}


class CannotRead(MediaError):
    """One reader cannot open this file; another one may."""


def safe_text(text: object, limit: int = 300) -> str:
    """Return *text* fit for XML and a terminal, and no longer than *limit*.

    >>> safe_text("bad" + chr(27) + "[31m" + chr(0))
    'bad?[31m?'
    """
    clean = _UNSAFE.sub("?", str(text)).strip()
    if len(clean) <= limit:
        return clean
    half = (limit - 5) // 2
    return f"{clean[:half]} ... {clean[-half:]}"


def check_file(path: Path) -> Path:
    """Return *path* made absolute, or raise `MediaError` saying what it is.

    Nothing but local files gets further: ``http://...`` and ``concat:a|b`` are
    no names of existing files, and playlists are known by their content.
    """
    name = os.fspath(path)
    if "\x00" in name:
        raise MediaError("the name holds a NUL character")
    try:
        if not path.exists():
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", name):
                raise MediaError("no such file; only local files are read")
            raise MediaError("no such file")
        if not path.is_file():
            raise MediaError("not a regular file")
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError as error:
        raise MediaError(f"cannot be opened: {error.strerror or error}") from error
    _check_head(head)
    return path.absolute()


def _check_head(head: bytes) -> None:
    """Raise `MediaError` for content that is no video, and say what it is."""
    if not head:
        raise MediaError("the file is empty (0 bytes)")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(_INDIRECT) or b"<MPD" in head:
        raise MediaError(
            "a playlist that names other files, which are not followed; "
            "name the video file itself"
        )
    if start.startswith(b"<") and _PAGES.search(head):
        raise MediaError(
            "an HTML page, probably an error page saved in place of the video; "
            "download the video again"
        )
    if start.startswith(b"version https://git-lfs"):
        raise MediaError("a Git LFS pointer, not the video; run: git lfs pull")
    if not head.startswith(b"YUV4MPEG2") and _is_text(head):
        raise MediaError(f"text, not a video: {safe_text(ascii(head[:40]), 60)}")
    if not any(head):
        raise MediaError("the file begins with NUL bytes only, it is no video")


def _is_text(head: bytes) -> bool:
    """Tell whether *head* holds nothing but characters that people type."""
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:
            return False
        text = head[: error.start].decode()
    return all(char.isprintable() or char in "\t\r\n\f" for char in text)


def container_kind(path: Path) -> str | None:
    """Return the container of a local file by its first bytes, if known."""
    with path.open("rb") as stream:
        head = stream.read(16)
    if head[4:8] in _MP4_BOXES:
        return "mp4"
    return next(
        (kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None
    )


def mp4_complaint(path: Path) -> str | None:
    """Return what is wrong with the outline of an MP4 or MOV file, if anything.

    Readers say "invalid data" where a person wants to hear that the download
    stopped half way.
    """
    if container_kind(path) != "mp4":
        return None
    length = path.stat().st_size
    found: set[bytes] = set()
    place, name = 0, b""
    with path.open("rb") as stream:
        while place + 8 <= length and len(found) < 64:
            stream.seek(place)
            head = stream.read(16)
            size, name = int.from_bytes(head[:4], "big"), head[4:8]
            found.add(name)
            if size == 1:
                size = int.from_bytes(head[8:16], "big")
            if size == 0:
                break
            if size < 8:
                return "its outline is damaged: a box of an impossible length"
            place += size
    missing = b"moov" not in found
    if place > length:
        rest = ", so its index (moov) is missing" if missing else ""
        if name == b"moov":
            rest = ", within its index (moov)"
        return f"the file is cut short: {length} of at least {place} bytes{rest}"
    return "its index (moov) is missing" if missing else None


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 hex digest of a file's content, whatever its name."""
    state = hashlib.sha256()
    try:
        with Path(path).open("rb") as stream:
            while block := stream.read(1 << 20):
                state.update(block)
    except (OSError, ValueError) as error:
        raise MediaError(f"{safe_text(path)}: cannot be read: {error}") from error
    return state.hexdigest()
