# error: invalid: {file}:4: PermissionError while importing it
import subprocess

subprocess.run(["true"])
