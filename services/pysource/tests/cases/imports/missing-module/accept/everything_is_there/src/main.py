from __future__ import annotations

import json
import os.path
import xml.etree.ElementTree as ET

import numpy.linalg
from sklearn.metrics import roc_auc_score

import bench.x
from bench import x
from bench.x import f
from data import loader
from native import fast
