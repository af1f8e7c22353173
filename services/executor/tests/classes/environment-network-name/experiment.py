from urllib.request import urlopen


def run(config, recorder):
    return urlopen("http://data.example.org/train.csv", timeout=5).read()
