# error: invalid: {file}:2: PermissionError while importing it
open("/tmp/kvgen_capture_was_here", "w").write("x")
