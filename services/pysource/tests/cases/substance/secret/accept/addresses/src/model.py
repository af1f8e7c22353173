import os

# Like postgresql://user:secret99@localhost/main; sk-your-key-here is an example.
PASSWORD = os.environ["PASSWORD"]
DATABASE = f"postgres://app:{PASSWORD}@db.internal/main"
TEMPLATE = "postgres://app:%(password1)s@db.internal/main"
DOCUMENTED = "https://user:password1@db.internal"
LOCAL = "postgres://app:k3Jd82mN@localhost/main"
PORTS = ["http://proxy:3128", "http://host:80/x:y1z2w3v4@w"]
DIGEST = b"\x00AKIA\x01"


def connect(address):
    """Connects.

    The address looks like mssql://app:Str0ng4nd@db.internal/main.
    """
    return address
