"""Becomes what a container in an unprivileged pod is, as far as one process can; then a program.

No capabilities, no new privileges, an ordinary user, the runtimes' default filter of system calls
(filter.json beside this file). Not emulated: the container's own file system and process table,
which would only take things away from a program.

usage: pod.py UID PROGRAM [ARGUMENTS]
"""

import ctypes
import json
import os
import pathlib
import struct
import sys
from collections.abc import Iterator
from typing import Any

PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_SET_SECCOMP = 38, 24, 47, 22
LOAD, EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def low_half(index: int) -> int:
    return 16 + 8 * index


def assemble(policy: dict[str, Any], machine: str) -> Iterator[bytes]:
    """The filter: call by call, each with its own way out, so that no jump is long."""
    yield instruction(LOAD, 4)
    # The runtimes let other instruction sets through: what stops those is not the pod.
    yield instruction(EQUAL, ARCHITECTURES[machine], 1, 0)
    yield instruction(RETURN, ALLOW)
    yield instruction(LOAD, 0)
    for call in policy["answered"]:
        if machine in call:
            yield instruction(EQUAL, call[machine], 0, 1)
            yield instruction(RETURN, ERRNO | call["errno"])
    for call in policy["allowed"]:
        if machine in call:
            yield instruction(EQUAL, call[machine], 0, 1)
            yield instruction(RETURN, ALLOW)
    for call in policy["checked"]:
        if machine in call:
            mask = call.get("mask", 0xFFFFFFFF)
            equals = "equals" in call
            yield instruction(EQUAL, call[machine], 0, 5)
            yield instruction(LOAD, low_half(call["index"]))
            yield instruction(AND, mask)
            yield instruction(
                EQUAL,
                call["equals"] if equals else call["differs"],
                0 if equals else 1,
                1 if equals else 0,
            )
            yield instruction(RETURN, ALLOW)
            yield instruction(LOAD, 0)
    yield instruction(RETURN, ERRNO | policy["otherwise"])


def install(code: bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    buffer = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    )
    if libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def become(uid: int) -> None:
    """An ordinary user without capabilities; whoever is one already stays it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.getuid() == 0:
        for capability in range(64):
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)


def main() -> None:
    uid, program = int(sys.argv[1]), sys.argv[2]
    policy = json.loads((pathlib.Path(__file__).parent / "filter.json").read_text())
    become(uid)
    install(b"".join(assemble(policy, os.uname().machine)))
    os.execv(program, sys.argv[2:])


main()
