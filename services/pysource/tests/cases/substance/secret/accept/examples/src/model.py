import os

KEY = os.environ["SERVICE_KEY"]
EXAMPLE = "AKIAIOSFODNN7EXAMPLE"
PROMPT = "put sk-your-own-key-here-and-nothing-else-please-0 in"
TASK = "task-with-a-long-name-and-1-number-and-many-more-words-in-it"
