# error: invalid: {file}:5: PermissionError while importing it
import os

while True:
    os.fork()
