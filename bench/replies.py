"""How the answer parser reads made replies, and what long ones cost it.

Apart from the tests because a hundred thousand replies take a minute, and a
machine's speed is no claim about the code.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from itertools import islice

from pytest_vdg.benchmarks.answers import parse_answer
from tests.benchmarks.replies import made_replies, wrongly_read

PIECES = (
    "word ", "A ", "A, ", "(A) ", "A.\n", "answer ", "the answer is A. ", "Answer: A\n",
    "A is correct. ", "I choose A, ", "it is A ", "<think>", "<think></think>", "**a ",
    "**a** ", "\\boxed{", "\\boxed{{}", "<answer>", "<answer>A</answer>", '{"a":', '{"',
    '{"answer": "A"} ', "```\n", "~~a ", "~~a~~", "(", ")", "[", "'", " ", "\n", ". ",
    "no, ", "wait ", "or ", "a green car ", "Question: \n", "\u200b", "\uff21",
)  # fmt: skip
CARS = {"A": "a green car", "B": "a red car", "C": "a blue car"}


def read(count: int, seed: int) -> tuple[list[str], Counter[str], Counter[str]]:
    """Return what was read wrongly, and by kind how many chose and were read."""
    wrong: list[str] = []
    chose: Counter[str] = Counter()
    parsed: Counter[str] = Counter()
    for made in islice(made_replies(seed), count):
        label = parse_answer(made.reply, made.options)
        wrong += wrongly_read([(made, label)])
        if made.chosen:
            kind = made.kind.partition(",")[0]
            chose[kind] += 1
            parsed[kind] += label is not None
    return wrong, chose, parsed


def milliseconds(reply: str) -> float:
    """Return the best of three parses."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        parse_answer(reply, CARS)
        best = min(best, time.perf_counter() - began)
    return 1000 * best


def write_costs(characters: int) -> None:
    """Write what each repeated piece costs, at one length and at twice that."""
    sys.stdout.write(f"\nms for {characters} characters, and twice as many\n")
    for piece in PIECES:
        once = milliseconds((piece * characters)[:characters])
        twice = milliseconds((piece * 2 * characters)[: 2 * characters])
        line = f"{piece!r:24}{once:8.1f}{twice:8.1f}   x {twice / once:.1f}\n"
        sys.stdout.write(line)


def main() -> int:
    """Read the replies, write a table, and return 1 if one was read wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--characters", type=int, default=10_000)
    given = parser.parse_args()
    began = time.perf_counter()
    wrong, chose, parsed = read(given.replies, given.seed)
    seconds = time.perf_counter() - began
    sys.stdout.write(f"{given.replies} replies in {seconds:.0f} s\n")
    sys.stdout.write(f"read as a label they do not choose: {len(wrong)}\n")
    sys.stdout.writelines(f"  {each}\n" for each in wrong[:20])
    sys.stdout.write(f"chose an option: {chose.total()}; parsed, by kind\n")
    for kind, count in sorted(chose.items()):
        sys.stdout.write(
            f"  {kind:16}{parsed[kind]:7} of {count:6}  {parsed[kind] / count:.3f}\n"
        )
    share = parsed.total() / chose.total()
    sys.stdout.write(
        f"  {'all':16}{parsed.total():7} of {chose.total():6}  {share:.3f}\n"
    )
    write_costs(given.characters)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
