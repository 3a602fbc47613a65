"""Milliseconds that each reader takes for 16 uniform frames of each video.

Apart from the tests because a machine's speed is no claim about the code.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from pytest_vdg.errors import MediaError
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling

READERS = ("pyav", "decord")


def measure(path: Path, reader: str, repeats: int = 3) -> str:
    """Return the best of *repeats* in ms, or why there is none."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        try:
            read_clip(path, Sampling(frames=16), reader=reader)
        except MediaError as e:
            return str(e).splitlines()[0][-40:]
        best = min(best, time.perf_counter() - began)
    return f"{best * 1000:.0f} ms"


def main() -> None:
    """Measure every file of a folder and write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for path in sorted(parser.parse_args().folder.iterdir()):
        cells = [f"{measure(path, reader):>12}" for reader in READERS]
        sys.stdout.write(f"{path.name:28}{''.join(cells)}\n")


if __name__ == "__main__":
    main()
