// clang: compile_error #include
// hiprtc: compile_error
#include "/etc/passwd"
__global__ void k(float* x) { x[0] = 1; }
