"""How the `sight` benchmarks and the four tiny checkpoints are made.

Two commands, run from the root of the repository::

    python -m tools.sight.make     writes the clips and the questions
    python -m tools.sight.train    trains and writes the checkpoints

Not part of the installed package: nothing in `pytest_vdg` imports it.
"""
