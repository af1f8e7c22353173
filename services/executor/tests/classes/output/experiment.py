def run(config, recorder):
    while True:
        print("x" * 4096)
