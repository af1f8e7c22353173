"""A landlock domain for the process itself, by system call: Python has no binding of its own.

A child that imports model-written code enters one of its own, nested in the sandbox's, so that it
reaches neither the process that started it nor a check that runs beside it. Needs landlock 6, the
first that confines signals; without it there is no domain, and the caller decides what that means.
Must not weaken anything: a domain only ever takes rights away.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
from collections.abc import Iterable

REQUIRED_ABI = 6
# The same numbers on every architecture that has landlock.
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_PATH_BENEATH = 1
_VERSION_FLAG = 1

# linux/landlock.h, LANDLOCK_ACCESS_FS_*
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_ALL_FILES = (1 << 16) - 1
_READING = _EXECUTE | _READ_FILE | _READ_DIR
_WRITING = _ALL_FILES & ~_READING
_ON_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3

_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def domain(writable: Iterable[str], readable: Iterable[str] | None = None) -> int | None:
    """A descriptor of a domain; None where the kernel cannot make one that confines signals.

    Outside `writable` nothing can be written. With `readable`, nothing else can be read either;
    without, reading stays as it is. Paths that are not there are left out. Raises OSError.
    """
    if _abi() < REQUIRED_ABI:
        return None
    handled = _WRITING if readable is None else _ALL_FILES
    rules = _Ruleset(handled, 0, _SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
    made = _call(_CREATE, ctypes.byref(rules), ctypes.c_size_t(ctypes.sizeof(rules)), 0)
    for path in readable or ():
        _allow(made, path, _READING)
    for path in writable:
        _allow(made, path, handled)
    return made


def enter(descriptor: int) -> None:
    """Puts this process into the domain, for good; raises OSError."""
    _call(_RESTRICT, descriptor, 0)


def _abi() -> int:
    try:
        return _call(_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)
    except OSError:
        return 0  # switched off, or never built in


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there, or not in the sandbox's own view, needs no right
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            access &= _ON_A_FILE
        rule = _PathBeneath(access, parent)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        with contextlib.suppress(OSError):
            os.close(parent)


def _call(*words: object) -> int:
    answer = _libc.syscall(*words)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer
