// clang: compile_error #include
// hiprtc: usable or compile_error
#include "/dev/zero"
__global__ void k(float* x) { x[0] = 1; }
