def mean(values):
    return statistics.fmean(values)
