"""What programs do with files: copies with their times, archives, locks, memory maps, temporary folders."""
import fcntl
import mmap
import os
import shutil
import tarfile
import tempfile
import zipfile

os.makedirs("tree/below")
with open("tree/below/file", "wb") as file:
    file.write(b"text" * 1000)
os.chmod("tree/below/file", 0o640)
shutil.copytree("tree", "copy", copy_function=shutil.copy2)
with tarfile.open("tree.tar.gz", "w:gz") as archive:
    archive.add("tree")
with tempfile.TemporaryDirectory() as folder:
    with tarfile.open("tree.tar.gz") as archive:
        archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
    assert os.path.getsize(os.path.join(folder, "tree/below/file")) == 4000
    shutil.make_archive("zipped", "zip", folder)
assert zipfile.ZipFile("zipped.zip").testzip() is None
with open("copy/below/file", "r+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
    with mmap.mmap(file.fileno(), 0) as view:
        view[:4] = b"TEXT"
    os.fsync(file.fileno())
with open("copy/below/file", "rb") as file:
    assert file.read(8) == b"TEXTtext"
os.symlink("copy", "link")
os.rename("copy", "moved")
shutil.rmtree("tree")
print("good")
