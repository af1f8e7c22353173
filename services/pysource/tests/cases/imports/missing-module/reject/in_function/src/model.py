def plot():
    import seaborn as sns

    return sns
