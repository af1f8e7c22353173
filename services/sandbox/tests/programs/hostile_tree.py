"""Everything that makes a tree hard to read or remove."""
import os

os.mkdir("locked")
open("locked/inside", "w").close()
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "folder_link")
os.symlink("loop", "loop")
open(b"bad\xff\nname", "w").close()
open("plain.json", "w").write("{}")
open("large.bin", "w").write("x" * 5000)
os.mkdir("sub")
open("sub/inner.txt", "w").write("inner")
os.chmod("locked", 0)
