// clang: compile_error #include
// hiprtc: compile_error
#include "kernel.hip"
__global__ void k(float* x) { x[0] = 1; }
