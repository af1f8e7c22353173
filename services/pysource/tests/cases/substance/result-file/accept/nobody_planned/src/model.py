with open("result.json", "w") as file:
    file.write("{}")
