import os

# KEY = "AKIAQ7RD5KWM2ZP9T3XB"
RAW = b"AKIAQ7RD5KWM2ZP9T3XB"
DATABASE = "postgres://app:k3Jd82mN@db.internal/main"
NAME = os.environ.get("USER")
LINK = f"https://AKIAQ7RD5KWM2ZP9T3XB:{NAME}@host"
