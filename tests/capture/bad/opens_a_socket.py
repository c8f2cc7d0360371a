# error: invalid: {file}:4: PermissionError while importing it
import socket

socket.create_connection(("127.0.0.1", 80))
