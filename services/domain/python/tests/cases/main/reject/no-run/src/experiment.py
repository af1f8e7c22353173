def main(config, recorder):
    return 1
