"""The parts of the pytest plugin; ``pytest_vdg.plugin`` holds the hooks.

Apart from it so that the hook module stays a list of thin functions.
"""
