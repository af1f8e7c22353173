from sklearn.linear_model import LogisticRegression

LogisticRegression(C=0.1, max_iter=100).fit([], [])
