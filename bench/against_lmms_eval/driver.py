"""lmms-eval's command line, as it is, with a note of when it had loaded.

Apart from all else because it runs in lmms-eval's environment, where nothing of
ours is installed. The first argument is the file for the note, all others are
lmms-eval's.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lmms_eval import evaluator
from lmms_eval.cli.dispatch import main
from lmms_eval.models.simple.qwen2_vl import Qwen2_VL

at: dict[str, float] = {}


def noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function*, noting when it returned."""

    def noted(*args: object, **kwargs: object) -> object:
        result = function(*args, **kwargs)
        at[name] = time.perf_counter()
        return result

    return noted


note = Path(sys.argv.pop(1))
Qwen2_VL.__init__ = noting("loaded", Qwen2_VL.__init__)
evaluator.simple_evaluate = noting("evaluated", evaluator.simple_evaluate)
main()
note.write_text(json.dumps({"evaluating_s": at["evaluated"] - at["loaded"]}))
