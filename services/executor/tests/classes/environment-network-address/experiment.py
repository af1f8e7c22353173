import socket


def run(config, recorder):
    socket.create_connection(("192.0.2.1", 80), timeout=5)
