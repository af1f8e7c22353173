"""Compares two models."""

from evaluate import Mean, Ratio, Result, evaluate
from metrics import METRICS, mean_squared, power_error, root_mean_squared
from splits import KFold


def main() -> None:
    rows = [(float(x), 2.0 * x) for x in range(1, 10)]
    folds = KFold(3, shuffle=True, seed=1)
    ratio = evaluate(Ratio(), rows, folds=folds)
    mean = evaluate(Mean(), rows, metric="rmse", folds=folds)
    assert ratio.name == "mae" and ratio.mean < 1e-9
    assert mean.mean > 1
    assert evaluate(Ratio(), rows, "within", folds=KFold()).mean == 1.0
    assert {fold.sizes for fold in folds.split(rows)} == {(6, 3)}
    assert [fold.number for fold in KFold(folds=2).split(rows)] == [0, 1]
    assert root_mean_squared([1.0, 2.0], [1.0, 2.0]) == 0
    assert mean_squared([0.0], [2.0]) == power_error([0.0], [2.0], power=2) == 4
    assert sorted(METRICS) == ["mae", "rmse", "within"]
    empty = Result("none")
    empty.add(1.0)
    assert empty.mean == 1.0
    try:
        METRICS["mae"]([1.0], [])
    except ValueError:
        pass
    else:
        raise AssertionError("different lengths have to be refused")


if __name__ == "__main__":
    main()
