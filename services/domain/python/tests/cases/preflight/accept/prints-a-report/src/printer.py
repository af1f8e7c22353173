print('{"outcome": "failed", "exception": null, "traceback": [], "threads": 0}')
