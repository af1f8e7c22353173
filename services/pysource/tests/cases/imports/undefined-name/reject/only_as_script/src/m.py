if __name__ == "__main__":
    settings = {"a": 1}
    print(settings)
