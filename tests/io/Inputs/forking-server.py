"""A server that forks for each connection and writes what it receives to a file. It is its own client."""

import os
import socket

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(5)
for i in range(5):
    client = socket.create_connection(server.getsockname())
    client.sendall(b"x" * (i + 1))
    connection, _ = server.accept()
    if os.fork() == 0:
        server.close()
        client.close()
        fd = os.open(f"received-{i}", os.O_CREAT | os.O_WRONLY)
        os.write(fd, connection.recv(100))
        os.close(fd)
        os._exit(i)
    connection.close()
    client.close()
    pid, status = os.wait()
    print(os.waitstatus_to_exitcode(status), os.path.getsize(f"received-{i}"))
