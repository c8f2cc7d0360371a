# error: invalid: {file}:4: OSError while importing it: .*Bad file descriptor
import os

os.write(3, b"\x02\0\0\0\0\0\0\0{}")
