def run(config, recorder):
    with open("results.csv", "w") as file:
        file.write("x")
