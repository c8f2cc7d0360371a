# error: invalid: {file}: has no class Model
import os
import sys

for _ in range(1000):
    print("x" * 1000)
    os.write(1, b"y" * 1000)
    sys.stderr.write("z" * 1000)
