"""Results that other tools wrote down, as runs that claims can be made about.

Apart from the store, which keeps what we asked ourselves: here the questions,
the options and the reply of each row are other people's, and checked first.
"""
