"""Tries to reach what its arguments name, by every way there is; says what came of each, as JSON."""

import json
import os
import socket
import sys
import urllib.error
import urllib.request

allowed, denied = sys.argv[1], sys.argv[2]


def fetched(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/hello?x=1", timeout=20) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode().strip()}"
    except OSError as error:
        return f"closed: {error}"


def tunnelled(port):
    """What a client of HTTPS does: CONNECT first, and then whatever it likes."""
    host, _, own = os.environ["https_proxy"].removeprefix("http://").partition(":")
    try:
        with socket.create_connection((host, int(own)), timeout=20) as proxy:
            proxy.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
            answer = proxy.recv(4096).decode()
            if " 200 " not in answer:
                return answer.split("\r\n")[0]
            proxy.sendall(b"GET /tunnel HTTP/1.0\r\n\r\n")
            text = b""
            while piece := proxy.recv(4096):
                text += piece
            return text.decode().rpartition("\r\n")[2]
    except OSError as error:
        return f"closed: {error}"


def direct(kind, port):
    try:
        with socket.socket(socket.AF_INET, kind) as out:
            out.settimeout(5)
            out.connect(("127.0.0.1", int(port)))
            out.send(b"x")
            return "through"
    except OSError as error:
        return f"closed: {error}"


def garbage():
    host, _, own = os.environ["https_proxy"].removeprefix("http://").partition(":")
    with socket.create_connection((host, int(own)), timeout=20) as proxy:
        proxy.sendall(b"\x00\xff nonsense\r\n\r\n")
        return proxy.recv(4096).decode().split("\r\n")[0]


answers = {"direct": direct(socket.SOCK_STREAM, allowed), "datagram": direct(socket.SOCK_DGRAM, allowed)}
if "http_proxy" in os.environ:
    answers["allowed"] = fetched(allowed)
    answers["denied"] = fetched(denied)
    answers["tunnel"] = tunnelled(allowed)
    answers["denied tunnel"] = tunnelled(denied)
    answers["garbage"] = garbage()
print(json.dumps(answers))
