"""scikit-learn with two jobs: by threads, and by processes through loky."""

from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score


def square(number):
    return number * number


def main():
    x, y = make_classification(600, random_state=1)
    assert (
        cross_val_score(RandomForestClassifier(30, n_jobs=2, random_state=1), x, y, cv=3).mean()
        > 0.7
    )
    search = GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0]}, n_jobs=2, cv=3).fit(
        x, y
    )
    assert search.best_score_ > 0.7
    assert HistGradientBoostingClassifier(max_iter=20).fit(x, y).score(x, y) > 0.7
    assert Parallel(n_jobs=2)(delayed(square)(n) for n in range(8)) == [n * n for n in range(8)]


if __name__ == "__main__":
    main()
