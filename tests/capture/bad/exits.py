# error: invalid: {file}:4: calls exit while importing it
import sys

sys.exit(3)
