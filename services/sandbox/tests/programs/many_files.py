"""More files than anybody wants."""
for number in range(20_000):
    open(f"file-{number}", "w").close()
