def run(config, recorder):
    with open("/usr/lib/planted.py", "w") as file:
        file.write("x")
