"""Runs inside a sandbox without network: takes connections on loopback, pipes them to the harness's socket, and runs the program beside.

It is started by its path with ``-I -S`` by whatever Python 3 the sandbox has, so it imports nothing of ours.
"""

import os
import signal
import socket
import sys
import threading

PIECE = 65536


def main() -> None:
    """``forward.py PORT SOCKET PROGRAM ARGUMENT…``: ends as the program ends."""
    port, target, program = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    listener = socket.create_server(("127.0.0.1", port), backlog=64)
    child = os.fork()  # before any thread: the program must not inherit a half-held lock
    if child == 0:
        listener.close()
        try:
            os.execvp(program[0], program)  # noqa: S606  # this is what it is for
        except OSError as problem:
            os.write(2, f"{program[0]}: {problem.strerror}\n".encode())
            os._exit(127)
    threading.Thread(target=serve, args=(listener, target), daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda which, _frame: os.kill(child, which))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def serve(listener: socket.socket, target: str) -> None:
    """Take connections for ever."""
    while True:
        inner, _ = listener.accept()
        outer = socket.socket(socket.AF_UNIX)
        try:
            outer.connect(target)
        except OSError:
            inner.close()
            outer.close()
            continue
        for source, sink in ((inner, outer), (outer, inner)):
            threading.Thread(target=pipe, args=(source, sink), daemon=True).start()


def pipe(source: socket.socket, sink: socket.socket) -> None:
    """Copy until the source ends; then tell the sink so, and leave the other direction open."""
    try:
        while piece := source.recv(PIECE):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


if __name__ == "__main__":
    main()
