"""Makes the wheel of a package `tiny`, the same bytes every time, in the folder that its argument names."""

import base64
import hashlib
import pathlib
import sys
import zipfile

FILES = {
    "tiny/__init__.py": b"ANSWER = 42\n",
    "tiny-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    "tiny-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


def entry(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


record = "".join(entry(*file) for file in FILES.items()) + "tiny-1.0.dist-info/RECORD,,\n"
wheel = pathlib.Path(sys.argv[1]) / "tiny-1.0-py3-none-any.whl"
with zipfile.ZipFile(wheel, "w") as archive:
    for name, content in {**FILES, "tiny-1.0.dist-info/RECORD": record.encode()}.items():
        archive.writestr(zipfile.ZipInfo(name), content)
print(hashlib.sha256(wheel.read_bytes()).hexdigest())
