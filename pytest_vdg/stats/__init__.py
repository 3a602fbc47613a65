"""Statistics of paired answers: numbers in, numbers out.

Apart from runs and questions so that each number can be checked against a
published one by hand; numpy and scipy only. Each function has a module of its
own, named for what it estimates:

* `paired`      difference of two paired accuracies, Tango's score interval
* `clusters`    mean score over questions that share videos; design effect
* `ladder`      black, single frame, shuffled, original: the steps of a gap
* `mcnemar`     test of the discordant questions
* `holm`        adjustment for several claims at once
* `proportion`  one accuracy, Wilson's score interval
* `detectable`  the smallest difference a slice could have shown
"""
