from m import build
