import json


def fit(options):
    return json.loads(options)
