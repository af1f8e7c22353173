KEY = "AKIA" "Q7RD5KWM2ZP9T3XB"
HEADERS = {"Authorization": "token ghp_" "k3Jd82mNbQ0xLw7VtRzY5cHs9GfPaE4uTi6o"}
