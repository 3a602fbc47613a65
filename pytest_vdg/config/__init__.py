"""What people configure: ``vdg.yaml``, options, environment and ini made into one.

Apart from ``sessions`` because everything here is about words and paths that
someone typed; nothing is evaluated, loaded or decoded.
"""
