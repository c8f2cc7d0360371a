# error: invalid: {file}: its process died \(SIGSEGV\) before the capture was done
import ctypes

ctypes.string_at(0)
