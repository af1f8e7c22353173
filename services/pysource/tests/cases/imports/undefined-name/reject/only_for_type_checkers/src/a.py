from m import Config

print(Config)
