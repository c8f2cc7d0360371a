# error: full: {file}:5: ran out of memory while importing it
held = []

while True:
    held.append(bytearray(1 << 24))
