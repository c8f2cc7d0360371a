// clang: compile_error #include
// hiprtc: compile_error
#include "../../../../etc/hostname"
__global__ void k(float* x) { x[0] = 1; }
