// clang: compile_error #include
// hiprtc: usable or compile_error
#include "/dev/urandom"
__global__ void k(float* x) { x[0] = 1; }
