import metrics
from sklearn import metrics as sk
from sklearn.metrics import roc_auc_score

print(metrics.accuracy([1], [1]), sk.roc_auc_score, roc_auc_score)
