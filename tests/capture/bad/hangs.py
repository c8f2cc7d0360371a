# error: timeout: {file}:5: took longer than 3 s
import time

while True:
    time.sleep(0.1)
