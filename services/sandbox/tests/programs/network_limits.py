"""Asks the proxy for too much of everything; says what came of it, as JSON."""

import json
import os
import socket
import sys

allowed = sys.argv[1]
HOST, _, PORT = os.environ["https_proxy"].removeprefix("http://").partition(":")


def connected(seconds=20):
    return socket.create_connection((HOST, int(PORT)), timeout=seconds)


def told(proxy, head):
    try:
        proxy.sendall(head)
        return proxy.recv(4096).decode().split("\r\n")[0]
    except OSError as error:
        return type(error).__name__


answers = {}
with connected() as proxy:
    answers["long head"] = told(proxy, b"GET http://a/ HTTP/1.1\r\nX: " + b"x" * (64 << 10))
for number in range(50):
    with connected() as proxy:
        answers["denied"] = told(proxy, f"CONNECT h{number}.example:1 HTTP/1.1\r\n\r\n".encode())
# As many as it serves at a time, and none of them says a word.
silent = [connected() for _ in range(64)]
with connected(seconds=2) as proxy:
    tunnel = f"CONNECT 127.0.0.1:{allowed} HTTP/1.1\r\n\r\n".encode()
    answers["one too many"] = told(proxy, tunnel)
    for one in silent:
        one.close()
    proxy.settimeout(20)
    answers["when there is room"] = proxy.recv(4096).decode().split("\r\n")[0]
print(json.dumps(answers))
