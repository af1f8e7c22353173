VALUE = open("out/result.json", "w")
