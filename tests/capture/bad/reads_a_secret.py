# error: invalid: {file}:2: PermissionError while importing it
open("/etc/passwd").read()
