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
* `planning`    how many questions a claim needs

What the papers report beside gaps:

* `spectrum`      the gap of each task, as one family
* `categories`    four kinds of question; the destructive ratio
* `dissociation`  two models that differ on original clips only, or on black only
* `equivalence`   a difference shown to be small
* `tiers`         high, middle and low; whether one benchmark's tell another's
* `stability`     is the ranking of tasks the same over halves and models
* `agreement`     do models agree on single questions
* `flips`         answers that change with quality alone
* `enrichment`    which questions flip; Fisher's exact test
* `positions`     labels of answers against those of the key
* `goodness`      the tests behind `positions`
* `shortcut`      blind gap and visual gain
* `evidence`      T and V from option probabilities
* `filtering`     S, and what a threshold leaves
* `tvbench`       above random, order, right answers shared
* `population`    error of a sample that is a good part of the whole
* `bootstrap`     resampled videos, for what has no formula
"""
