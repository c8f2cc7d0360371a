# error: invalid: {file}: it ended its process \(exit status 0\) before the capture was done
import os

os._exit(0)
