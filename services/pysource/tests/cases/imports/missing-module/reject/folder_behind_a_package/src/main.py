from data.loader import load
