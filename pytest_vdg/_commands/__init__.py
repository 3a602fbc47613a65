"""What each command of ``vdg`` does, after its arguments were read.

Apart from ``cli`` so that it stays one page of arguments and exit codes.
"""
