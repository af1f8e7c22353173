import socket


def run(config, recorder):
    socket.sethostname("mine")
