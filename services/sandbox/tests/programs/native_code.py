"""Calls the kernel through the 32-bit door, where call numbers mean something else."""
import ctypes
import mmap

page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("got", ctypes.CFUNCTYPE(ctypes.c_int)(address)(), flush=True)
