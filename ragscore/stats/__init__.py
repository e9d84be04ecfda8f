"""Intervals, paired tests, corrections, power: plain functions on arrays of per-query values.

====================  ==============================================================================
intervals             BCa, percentile, t, Wilson and exact intervals of means
difference_intervals  of paired differences, and their size; few_differ: where most are 0
paired                sign flips, t and Wilcoxon (signed_rank) on paired differences
corrections           p-values adjusted for how many there are
one_sided             above or below a threshold, as for an allowed drop
bounded_means         how low the mean can lie of values in a known range; bounded_power: how often
                      that is shown, and by how many queries
drops                 one pair against an allowance, however few of its queries differ
equivalence           equal, or not worse, within a margin
power                 what this number of queries can detect, how many a difference needs;
                      sign_power: the same where few differ; paired_power: of one pair's differences
bands                 intervals at every setting of a curve at once, for all queries or parts
gaps                  is a paired difference another one inside a slice of the queries than outside
folds                 which queries are held out together; cross_validation: what a choice is worth
best_set              which of many systems are within noise of the best, all at once
pareto                what nothing else beats on gain without costing more
units                 queries, or clusters of queries: what all of these draw, flip and count
resampling            the random draws, exact to the digit, and the bounds of BCa taken from them
====================  ==============================================================================

Everything random takes a seed. The same input gives the same digits, whatever the number of
threads, the processor and the columns computed beside it.
"""
