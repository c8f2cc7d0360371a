# error: invalid: {file}:3: ZeroDivisionError while importing it: division by zero

ratio = 1 / 0
