# error: invalid: {file}:3: recurses without end while importing it
def f():
    return f()


f()
