TEXT = f"{'''eric's'''}"
