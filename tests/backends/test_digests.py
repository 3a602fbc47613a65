"""Digests of large files that are kept: only where nothing can have changed."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from pytest_vdg.backends import _digests
from pytest_vdg.backends._digests import SETTLED_NS, cache_file, content_digest

HOUR_NS = 3_600_000_000_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of kept digests, which is not there; let files be large."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_digests, "WORTH_BYTES", 4)
    return cache_file()


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of files whose content is read from now on."""
    names: list[str] = []
    inner = _digests._hashed

    def noted(path: Path) -> bytes:
        names.append(path.name)
        return inner(path)

    monkeypatch.setattr(_digests, "_hashed", noted)
    return names


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock stand an hour on, so that files were left alone for long."""
    # What the system keeps of a file's last change cannot be set back.
    real = time.time_ns
    monkeypatch.setattr(_digests.time, "time_ns", lambda: real() + HOUR_NS)


def weights(folder: Path, content: bytes = b"weights", name: str = "w.bin") -> Path:
    """Write a file of weights."""
    path = folder / name
    path.write_bytes(content)
    return path


def sha256(content: bytes) -> bytes:
    """Return what the digest must be, computed here."""
    return hashlib.sha256(content).digest()


@pytest.mark.usefixtures("later")
def test_a_file_that_was_left_alone_is_hashed_once(
    tmp_path: Path, hashed: list[str]
) -> None:
    """The second session does not read it, and says the same."""
    path = weights(tmp_path)
    assert content_digest(path) == content_digest(path) == sha256(b"weights")
    assert hashed == ["w.bin"]


@pytest.mark.usefixtures("later")
def test_weights_changed_in_place_are_hashed_again(
    tmp_path: Path, hashed: list[str]
) -> None:
    """The same path, size and time of content do not hide other weights."""
    # Hazard 65: answers reused after the weights were changed in place.
    path = weights(tmp_path)
    content_digest(path)
    before = path.stat()
    after = before
    while after.st_ctime_ns == before.st_ctime_ns:  # until the system's clock moves
        with path.open("r+b") as file:
            file.write(b"WEIGHTS")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (
        before.st_size,
        before.st_mtime_ns,
        before.st_ino,
    )
    assert content_digest(path) == sha256(b"WEIGHTS")
    assert hashed == ["w.bin", "w.bin"]


@pytest.mark.usefixtures("later")
def test_another_file_in_its_place_is_hashed_again(
    tmp_path: Path, hashed: list[str]
) -> None:
    """A file moved there, with the old one's times, is another file."""
    path = weights(tmp_path)
    content_digest(path)
    before = path.stat()
    other = weights(tmp_path, b"WEIGHTS", "new.bin")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert content_digest(path) == sha256(b"WEIGHTS")
    assert len(hashed) == 2


@pytest.mark.usefixtures("later")
def test_a_link_that_leads_elsewhere_is_hashed_again(
    tmp_path: Path, hashed: list[str]
) -> None:
    """A snapshot's link is known by what it leads to, as the Hub's cache has it."""
    one, other = (weights(tmp_path, c, c.decode()) for c in (b"first", b"other"))
    link = tmp_path / "model.safetensors"
    link.symlink_to(one)
    assert content_digest(link) == sha256(b"first")
    assert content_digest(one) == sha256(b"first")
    link.unlink()
    link.symlink_to(other)
    assert content_digest(link) == sha256(b"other")
    assert hashed == ["model.safetensors", "model.safetensors"]


@pytest.mark.parametrize("left_alone_ns", [0, SETTLED_NS, SETTLED_NS + 1])
def test_what_was_just_written_is_not_trusted(
    tmp_path: Path,
    hashed: list[str],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    left_alone_ns: int,
) -> None:
    """A second change within the clock's step would show in none of its times."""
    path = weights(tmp_path)
    stat = path.stat()
    now = max(stat.st_mtime_ns, stat.st_ctime_ns) + left_alone_ns
    monkeypatch.setattr(_digests.time, "time_ns", lambda: now)
    content_digest(path)
    content_digest(path)
    kept = left_alone_ns > SETTLED_NS
    assert len(hashed) == (1 if kept else 2)
    assert cache.exists() is kept


@pytest.mark.usefixtures("later")
def test_what_changes_while_it_is_hashed_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """A download under way leaves no digest of half a file behind."""
    path = weights(tmp_path)
    inner = _digests._hashed

    def overtaken(path: Path) -> bytes:
        digest = inner(path)
        path.write_bytes(b"weights and more")
        return digest

    monkeypatch.setattr(_digests, "_hashed", overtaken)
    content_digest(path)
    assert not cache.exists()


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 1, "files": []}',
        '{"version": 1, "files": {"PATH": null}}',
        '{"version": 1, "files": {"PATH": {"identity": [], "sha256": "DIGEST"}}}',
        '{"version": 1, "files": {"PATH": {"identity": SEEN, "sha256": "zz"}}}',
        '{"version": 1, "files": {"PATH": {"identity": SEEN, "sha256": "00"}}}',
        '{"version": 2, "files": {"PATH": {"identity": SEEN, "sha256": "DIGEST"}}}',
    ],
)
def test_a_broken_file_of_digests_is_written_anew(
    tmp_path: Path, hashed: list[str], cache: Path, text: str
) -> None:
    """Whatever became of the file, the digest is right, and kept the next time."""
    path = weights(tmp_path)
    stat = path.stat()
    identity = [
        stat.st_size,
        stat.st_mtime_ns,
        stat.st_ctime_ns,
        stat.st_ino,
        stat.st_dev,
    ]
    cache.parent.mkdir(parents=True)
    text = text.replace("PATH", str(path.resolve())).replace("DIGEST", "ab" * 32)
    cache.write_text(text.replace("SEEN", json.dumps(identity)))
    assert content_digest(path) == sha256(b"weights")
    assert content_digest(path) == sha256(b"weights")
    assert len(hashed) == 1


@pytest.mark.usefixtures("later")
def test_a_cache_that_cannot_be_written_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No home and no disk space are no reason not to test a checkpoint."""
    path = weights(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))  # a file, and so no folder
    assert content_digest(path) == sha256(b"weights")


@pytest.mark.usefixtures("later")
def test_small_files_are_never_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """A tiny checkpoint leaves nothing in anybody's home."""
    monkeypatch.setattr(_digests, "WORTH_BYTES", 8)
    content_digest(weights(tmp_path))
    assert not cache.exists()


@pytest.mark.usefixtures("later")
def test_the_oldest_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hashed: list[str]
) -> None:
    """The file does not grow for ever: a night's checkpoint goes after others."""
    monkeypatch.setattr(_digests, "MOST", 2)
    paths = [weights(tmp_path, name=f"{i}.bin") for i in range(3)]
    for path in (*paths, paths[2], paths[1], paths[0]):
        content_digest(path)
    assert hashed == ["0.bin", "1.bin", "2.bin", "0.bin"]


def test_a_relative_cache_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the specification of ``XDG_CACHE_HOME`` wants it."""
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_file() == Path("/home/someone/.cache/pytest-vdg/weights.json")
