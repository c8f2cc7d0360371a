# error: timeout: {file}: took longer than 3 s and was killed
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
